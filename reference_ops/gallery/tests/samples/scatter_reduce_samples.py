"""What the tests feed to aten::scatter_reduce: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._scatter_reduce import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.scatter_reduce,
    module=gallery.ScatterReduce,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'self float32[3, 4], dim 1, index [[0, 1, 1, 3], [2, 2, 2, 0]], src float32[2, 4], reduce "sum"',
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed(1),
                "index": engine.tensor([[0, 1, 1, 3], [2, 2, 2, 0]]),
                "src": engine.random("float32", 2, 4),
                "reduce": engine.fixed("sum"),
            },
        ),
        engine.Sample(
            'self float32[3, 4], dim 1, index [[0, 1, 1, 3], [2, 2, 2, 0]], src float32[3, 5], reduce "mean", include_self False',
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed(1),
                "index": engine.tensor([[0, 1, 1, 3], [2, 2, 2, 0]]),
                "src": engine.random("float32", 3, 5),
                "reduce": engine.fixed("mean"),
                "include_self": engine.fixed(False),
            },
        ),
        engine.Sample(
            'self float32[3, 4], dim 0, index [[0, 1, 1, 2], [2, 2, 2, 0]], src [[1.0, float("nan"), 2.0, float("inf")], [float("-inf"), 3.0, float("nan"), 5.0]], reduce "amax", include_self False',
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed(0),
                "index": engine.tensor([[0, 1, 1, 2], [2, 2, 2, 0]]),
                "src": engine.tensor([[1.0, float("nan"), 2.0, float("inf")], [float("-inf"), 3.0, float("nan"), 5.0]]),
                "reduce": engine.fixed("amax"),
                "include_self": engine.fixed(False),
            },
        ),
        engine.Sample(
            'self [1, 2, 3], dim 0, index [0, 2, 0], src [9007199254740992, -9, 9007199254740993], reduce "amin"',
            {
                "self": engine.tensor([1, 2, 3]),
                "dim": engine.fixed(0),
                "index": engine.tensor([0, 2, 0]),
                "src": engine.tensor([9007199254740992, -9, 9007199254740993]),
                "reduce": engine.fixed("amin"),
            },
        ),
    ],
    refusals=[
    ],
)
