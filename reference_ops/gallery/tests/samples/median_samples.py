"""What the tests feed to aten::median: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._median import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.median,
    module=gallery.Median,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
        engine.Sample(
            'self [1.0, float("inf"), float("-inf"), 2.0]',
            {
                "self": engine.tensor([1.0, float("inf"), float("-inf"), 2.0]),
            },
        ),
        engine.Sample(
            'self [1.0, float("nan"), 2.0]',
            {
                "self": engine.tensor([1.0, float("nan"), 2.0]),
            },
        ),
        engine.Sample(
            "self [9007199254740993, 9007199254740992, 9007199254740994]",
            {
                "self": engine.tensor([9007199254740993, 9007199254740992, 9007199254740994]),
            },
        ),
    ],
    refusals=[
    ],
)
