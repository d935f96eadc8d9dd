"""What the tests feed to aten::logcumsumexp: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._logcumsumexp import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.logcumsumexp,
    module=gallery.Logcumsumexp,
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
            'self [float("-inf"), float("-inf"), 1.0, 1000.0, float("inf"), 2.0, float("nan"), 1.0], dim 0',
            {
                "self": engine.tensor([float("-inf"), float("-inf"), 1.0, 1000.0, float("inf"), 2.0, float("nan"), 1.0]),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
