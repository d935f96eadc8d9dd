"""What the tests feed to aten::positive: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._positive import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.positive,
    module=gallery.Positive,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[20, 20]",
            {
                "self": engine.random("float32", 20, 20),
            },
        ),
    ],
    refusals=[
    ],
)
