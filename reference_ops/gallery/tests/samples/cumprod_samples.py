"""What the tests feed to aten::cumprod: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cumprod import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cumprod,
    module=gallery.Cumprod,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], dim 1",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "dim": engine.fixed(1),
            },
        ),
        engine.Sample(
            "self float32[3, 4, 2], dim -2",
            {
                "self": engine.random("float32", 3, 4, 2, larger=(4, 4, 2)),
                "dim": engine.fixed(-2),
            },
        ),
        engine.Sample(
            "self [9007199254740993, 3, -1, 5], dim 0",
            {
                "self": engine.tensor([9007199254740993, 3, -1, 5]),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
