"""What the tests feed to aten::linalg_polar: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_polar import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_polar,
    module=gallery.LinalgPolar,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A float32[2, 4, 3]",
            {
                "A": engine.random("float32", 2, 4, 3, larger=(3, 5, 3)),
            },
        ),
        engine.Sample(
            "A [[3.0, 1.0], [0.0, 2.0]]",
            {
                "A": engine.tensor([[3.0, 1.0], [0.0, 2.0]]),
            },
        ),
        engine.Sample(
            "A [[0.0, 0.0], [0.0, 0.0]]",
            {
                "A": engine.tensor([[0.0, 0.0], [0.0, 0.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
