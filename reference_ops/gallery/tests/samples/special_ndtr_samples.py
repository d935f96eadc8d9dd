"""What the tests feed to aten::special_ndtr: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_ndtr import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_ndtr,
    module=gallery.SpecialNdtr,
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
