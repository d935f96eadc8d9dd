"""What the tests feed to aten::mH: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._mH import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.mH,
    module=gallery.MH,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 3]",
            {
                "self": engine.random("float32", 4, 3),
            },
        ),
    ],
    refusals=[
    ],
)
