"""What the tests feed to aten::erfc: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._erfc import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.erfc,
    module=gallery.Erfc,
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
