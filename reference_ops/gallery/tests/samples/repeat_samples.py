"""What the tests feed to aten::repeat: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._repeat import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.repeat,
    module=gallery.Repeat,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], repeats [2, 1]",
            {
                "self": engine.random("float32", 3, 4),
                "repeats": engine.fixed([2, 1]),
            },
        ),
    ],
    refusals=[
    ],
)
