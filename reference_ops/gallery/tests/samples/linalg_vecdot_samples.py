"""What the tests feed to aten::linalg_vecdot: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_vecdot import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_vecdot,
    module=gallery.LinalgVecdot,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "x float32[2, 3], y float32[2, 3]",
            {
                "x": engine.random("float32", 2, 3, larger=(3, 3)),
                "y": engine.random("float32", 2, 3, larger=(3, 3)),
            },
        ),
        engine.Sample(
            "x float32[2, 3, 4], y float32[3, 4], dim 1",
            {
                "x": engine.random("float32", 2, 3, 4),
                "y": engine.random("float32", 3, 4),
                "dim": engine.fixed(1),
            },
        ),
        engine.Sample(
            "x float32[0], y float32[0]",
            {
                "x": engine.random("float32", 0),
                "y": engine.random("float32", 0),
            },
        ),
    ],
    refusals=[
    ],
)
