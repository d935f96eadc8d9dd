"""What the tests feed to aten::combinations: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._combinations import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.combinations,
    module=gallery.Combinations,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5]",
            {
                "self": engine.random("float32", 5, larger=(6,)),
            },
        ),
        engine.Sample(
            "self float32[4], r 3, with_replacement True",
            {
                "self": engine.random("float32", 4, larger=(5,)),
                "r": engine.fixed(3),
                "with_replacement": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
