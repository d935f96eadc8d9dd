"""What the tests feed to aten::std: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._std import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.std,
    module=gallery.Std,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4, 5]",
            {
                "self": engine.random("float32", 3, 4, 5, larger=(4, 4, 5)),
            },
        ),
        engine.Sample(
            "self float32[3, 4], unbiased False",
            {
                "self": engine.random("float32", 3, 4),
                "unbiased": engine.fixed(False),
            },
        ),
    ],
    refusals=[
    ],
)
