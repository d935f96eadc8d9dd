"""What the tests feed to aten::hsplit: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._hsplit import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.hsplit,
    module=gallery.Hsplit,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[6], sections 2",
            {
                "self": engine.random("float32", 6),
                "sections": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
