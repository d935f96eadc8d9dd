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
            "self float32[5, 5, 5], dim 0",
            {
                "self": engine.random("float32", 5, 5, 5, low=-8.975, high=10000.0),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
