"""What the tests feed to aten::special_entr: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_entr import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_entr,
    module=gallery.SpecialEntr,
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
