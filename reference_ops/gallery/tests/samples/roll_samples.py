"""What the tests feed to aten::roll: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._roll import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.roll,
    module=gallery.Roll,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3], shifts [4]",
            {
                "self": engine.random("float32", 2, 3),
                "shifts": engine.fixed([4]),
            },
        ),
    ],
    refusals=[
    ],
)
