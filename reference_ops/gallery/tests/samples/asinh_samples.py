"""What the tests feed to aten::asinh: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._asinh import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.asinh,
    module=gallery.Asinh,
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
