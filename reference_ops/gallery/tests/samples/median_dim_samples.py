"""What the tests feed to aten::median: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._median_dim import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.median_dim,
    module=gallery.MedianDim,
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
            'self [[1.0, float("inf"), float("-inf"), 2.0], [1.0, float("nan"), float("nan"), 2.0], [float("inf"), float("inf"), float("inf"), 0.0]], dim -1, keepdim True',
            {
                "self": engine.tensor([[1.0, float("inf"), float("-inf"), 2.0], [1.0, float("nan"), float("nan"), 2.0], [float("inf"), float("inf"), float("inf"), 0.0]]),
                "dim": engine.fixed(-1),
                "keepdim": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self [[9007199254740993, 9007199254740992, 9007199254740994]], dim 1",
            {
                "self": engine.tensor([[9007199254740993, 9007199254740992, 9007199254740994]]),
                "dim": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
