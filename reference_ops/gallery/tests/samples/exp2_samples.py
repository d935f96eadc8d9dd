"""What the tests feed to aten::exp2: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._exp2 import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.exp2,
    module=gallery.Exp2,
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
