"""What the tests feed to aten::diag_embed: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._diag_embed import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.diag_embed,
    module=gallery.DiagEmbed,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5]",
            {
                "self": engine.random("float32", 5, 5),
            },
        ),
    ],
    refusals=[
    ],
)
