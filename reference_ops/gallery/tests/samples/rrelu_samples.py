"""What the tests feed to aten::rrelu: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._rrelu import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.rrelu,
    module=gallery.Rrelu,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4]",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
            },
        ),
        engine.Sample(
            "self float32[3, 4], lower 0.1, upper 0.5",
            {
                "self": engine.random("float32", 3, 4),
                "lower": engine.fixed(0.1),
                "upper": engine.fixed(0.5),
            },
        ),
    ],
    refusals=[
    ],
)
