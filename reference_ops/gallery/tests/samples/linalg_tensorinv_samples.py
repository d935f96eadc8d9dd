"""What the tests feed to aten::linalg_tensorinv: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_tensorinv import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_tensorinv,
    module=gallery.LinalgTensorinv,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[[4.0, 2.0, 0.6]], [[1.0, -5.0, 1.5]], [[0.6, 3.5, 0.1]]], ind 1",
            {
                "self": engine.tensor([[[4.0, 2.0, 0.6]], [[1.0, -5.0, 1.5]], [[0.6, 3.5, 0.1]]]),
                "ind": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
