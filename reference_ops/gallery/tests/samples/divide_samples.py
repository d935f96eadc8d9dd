"""What the tests feed to aten::divide: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._divide import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.divide,
    module=gallery.Divide,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], other float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "other": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
    ],
    refusals=[
    ],
)
