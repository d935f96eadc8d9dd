"""What the tests feed to aten::cdist: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cdist import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cdist,
    module=gallery.Cdist,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "x1 float32[3, 4], x2 float32[5, 4]",
            {
                "x1": engine.random("float32", 3, 4, larger=(4, 4)),
                "x2": engine.random("float32", 5, 4, larger=(6, 4)),
            },
        ),
        engine.Sample(
            "x1 float32[2, 3, 4], x2 float32[2, 5, 4], p 1.0",
            {
                "x1": engine.random("float32", 2, 3, 4, larger=(2, 4, 4)),
                "x2": engine.random("float32", 2, 5, 4, larger=(2, 6, 4)),
                "p": engine.fixed(1.0),
            },
        ),
    ],
    refusals=[
    ],
)
