"""What the tests feed to aten::acosh: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._acosh import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.acosh,
    module=gallery.Acosh,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[20]",
            {
                "self": engine.random("float32", 20, low=1.232, high=7.566),
            },
        ),
    ],
    refusals=[
    ],
)
