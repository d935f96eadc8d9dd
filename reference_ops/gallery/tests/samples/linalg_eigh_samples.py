"""What the tests feed to aten::linalg_eigh: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_eigh import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_eigh,
    module=gallery.LinalgEigh,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[-1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 2.0]]",
            {
                "self": engine.tensor([[-1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 2.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
