"""What the tests feed to aten::index_reduce: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._index_reduce import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.index_reduce,
    module=gallery.IndexReduce,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'self float32[3, 4], dim 0, index [0, 2, 0], source float32[3, 4], reduce "prod"',
            {
                "self": engine.random("float32", 3, 4, larger=(3, 5)),
                "dim": engine.fixed(0),
                "index": engine.tensor([0, 2, 0]),
                "source": engine.random("float32", 3, 4, larger=(3, 5)),
                "reduce": engine.fixed("prod"),
            },
        ),
        engine.Sample(
            'self float32[3, 4], dim 0, index [0, 2, 0], source float32[3, 4], reduce "mean", include_self False',
            {
                "self": engine.random("float32", 3, 4, larger=(3, 5)),
                "dim": engine.fixed(0),
                "index": engine.tensor([0, 2, 0]),
                "source": engine.random("float32", 3, 4, larger=(3, 5)),
                "reduce": engine.fixed("mean"),
                "include_self": engine.fixed(False),
            },
        ),
        engine.Sample(
            'self [1.0, float("nan"), 3.0], dim 0, index [0, 2, 0], source [5.0, float("nan"), float("-inf")], reduce "amax"',
            {
                "self": engine.tensor([1.0, float("nan"), 3.0]),
                "dim": engine.fixed(0),
                "index": engine.tensor([0, 2, 0]),
                "source": engine.tensor([5.0, float("nan"), float("-inf")]),
                "reduce": engine.fixed("amax"),
            },
        ),
        engine.Sample(
            'self [1, 2, 3], dim 0, index [0, 2, 0], source [9007199254740992, -9, 9007199254740993], reduce "amax", include_self False',
            {
                "self": engine.tensor([1, 2, 3]),
                "dim": engine.fixed(0),
                "index": engine.tensor([0, 2, 0]),
                "source": engine.tensor([9007199254740992, -9, 9007199254740993]),
                "reduce": engine.fixed("amax"),
                "include_self": engine.fixed(False),
            },
        ),
    ],
    refusals=[
    ],
)
