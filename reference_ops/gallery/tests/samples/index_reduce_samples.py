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
    ],
    refusals=[
    ],
)
