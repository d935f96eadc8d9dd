"""What the tests feed to aten::fliplr: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._fliplr import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.fliplr,
    module=gallery.Fliplr,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 10, 5]",
            {
                "self": engine.random("float32", 5, 10, 5),
            },
        ),
    ],
    refusals=[
    ],
)
