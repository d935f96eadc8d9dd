"""What the tests feed to aten::cross: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cross import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cross,
    module=gallery.Cross,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3], other float32[2, 3], dim 1",
            {
                "self": engine.random("float32", 2, 3, larger=(3, 3)),
                "other": engine.random("float32", 2, 3, larger=(3, 3)),
                "dim": engine.fixed(1),
            },
        ),
        engine.Sample(
            "self float32[3, 2], other float32[3, 2]",
            {
                "self": engine.random("float32", 3, 2, larger=(3, 3)),
                "other": engine.random("float32", 3, 2, larger=(3, 3)),
            },
        ),
    ],
    refusals=[
    ],
)
