"""What the tests feed to aten::sort: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._sort import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.sort,
    module=gallery.Sort,
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
            'self [[float("nan"), 2.0], [float("inf"), float("nan")], [3.0, float("inf")], [float("nan"), float("-inf")]], dim 0, descending True',
            {
                "self": engine.tensor([[float("nan"), 2.0], [float("inf"), float("nan")], [3.0, float("inf")], [float("nan"), float("-inf")]]),
                "dim": engine.fixed(0),
                "descending": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self [9007199254740993, 9007199254740992, 9007199254740994, 9007199254740992]",
            {
                "self": engine.tensor([9007199254740993, 9007199254740992, 9007199254740994, 9007199254740992]),
            },
        ),
    ],
    refusals=[
    ],
)
