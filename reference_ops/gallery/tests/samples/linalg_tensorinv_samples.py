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
            "self float32[4, 6, 8, 3], ind 2",
            {
                "self": engine.random("float32", 4, 6, 8, 3),
                "ind": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
