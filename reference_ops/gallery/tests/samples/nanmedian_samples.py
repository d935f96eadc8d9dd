"""What the tests feed to aten::nanmedian: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nanmedian import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nanmedian,
    module=gallery.Nanmedian,
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
            'self [float("nan"), float("inf"), float("-inf"), 2.0, float("nan")]',
            {
                "self": engine.tensor([float("nan"), float("inf"), float("-inf"), 2.0, float("nan")]),
            },
        ),
        engine.Sample(
            'self [float("nan"), float("nan")]',
            {
                "self": engine.tensor([float("nan"), float("nan")]),
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
