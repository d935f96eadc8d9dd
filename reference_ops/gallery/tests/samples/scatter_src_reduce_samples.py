"""What the tests feed to aten::scatter: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._scatter_src_reduce import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.scatter_src_reduce,
    module=gallery.ScatterSrcReduce,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'self float32[3, 4], dim 1, index [[0, 1, 1, 3], [2, 2, 2, 0]], src float32[2, 4], reduce "multiply"',
            {
                "self": engine.random("float32", 3, 4, larger=(3, 5)),
                "dim": engine.fixed(1),
                "index": engine.tensor([[0, 1, 1, 3], [2, 2, 2, 0]]),
                "src": engine.random("float32", 2, 4),
                "reduce": engine.fixed("multiply"),
            },
        ),
        engine.Sample(
            'self 2.5, dim 0, index 0, src 1.5, reduce "add"',
            {
                "self": engine.tensor(2.5),
                "dim": engine.fixed(0),
                "index": engine.tensor(0),
                "src": engine.tensor(1.5),
                "reduce": engine.fixed("add"),
            },
        ),
    ],
    refusals=[
    ],
)
