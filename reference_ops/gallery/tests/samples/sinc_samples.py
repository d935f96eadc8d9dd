"""What the tests feed to aten::sinc: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._sinc import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.sinc,
    module=gallery.Sinc,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[20]",
            {
                "self": engine.random("float32", 20),
            },
        ),
    ],
    refusals=[
    ],
)
