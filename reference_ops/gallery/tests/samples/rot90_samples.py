"""What the tests feed to aten::rot90: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._rot90 import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.rot90,
    module=gallery.Rot90,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5, 5]",
            {
                "self": engine.random("float32", 5, 5, 5),
            },
        ),
    ],
    refusals=[
    ],
)
