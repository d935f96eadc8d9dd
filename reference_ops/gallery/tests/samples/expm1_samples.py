"""What the tests feed to aten::expm1: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._expm1 import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.expm1,
    module=gallery.Expm1,
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
