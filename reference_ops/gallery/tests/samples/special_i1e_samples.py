"""What the tests feed to aten::special_i1e: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_i1e import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_i1e,
    module=gallery.SpecialI1e,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
    ],
    refusals=[
    ],
)
