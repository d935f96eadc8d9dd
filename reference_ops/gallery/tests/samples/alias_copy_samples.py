"""What the tests feed to aten::alias_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._alias_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.alias_copy,
    module=gallery.AliasCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5]",
            {
                "self": engine.random("float32", 5, low=-8.478, high=-1.766),
            },
        ),
    ],
    refusals=[
    ],
)
