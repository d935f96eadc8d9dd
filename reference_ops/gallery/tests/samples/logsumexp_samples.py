"""What the tests feed to aten::logsumexp: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._logsumexp import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.logsumexp,
    module=gallery.Logsumexp,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim [1]",
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed([1]),
            },
        ),
    ],
    refusals=[
    ],
)
