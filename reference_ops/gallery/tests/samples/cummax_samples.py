"""What the tests feed to aten::cummax: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cummax import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cummax,
    module=gallery.Cummax,
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
            'self [1.0, 3.0, 3.0, float("-inf"), float("inf"), float("nan"), 5.0, float("nan"), 2.0], dim 0',
            {
                "self": engine.tensor([1.0, 3.0, 3.0, float("-inf"), float("inf"), float("nan"), 5.0, float("nan"), 2.0]),
                "dim": engine.fixed(0),
            },
        ),
        engine.Sample(
            "self [9007199254740992, 9007199254740993, 1], dim 0",
            {
                "self": engine.tensor([9007199254740992, 9007199254740993, 1]),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
