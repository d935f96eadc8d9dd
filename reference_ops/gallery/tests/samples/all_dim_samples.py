"""What the tests feed to aten::all: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._all_dim import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.all_dim,
    module=gallery.AllDim,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self bool[3, 4], dim 1",
            {
                "self": engine.random("bool", 3, 4, larger=(4, 4)),
                "dim": engine.fixed(1),
            },
        ),
        engine.Sample(
            'self [[0.0, float("nan"), 1.0], [0.0, 1.0, 1.0]], dim 0, keepdim True',
            {
                "self": engine.tensor([[0.0, float("nan"), 1.0], [0.0, 1.0, 1.0]]),
                "dim": engine.fixed(0),
                "keepdim": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self True, dim 0",
            {
                "self": engine.tensor(True),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
