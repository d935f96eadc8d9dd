"""What the tests feed to aten::vsplit: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._vsplit import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.vsplit,
    module=gallery.Vsplit,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[6, 5], sections 2",
            {
                "self": engine.random("float32", 6, 5),
                "sections": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
