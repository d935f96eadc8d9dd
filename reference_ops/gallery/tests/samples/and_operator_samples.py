"""What the tests feed to aten::__and__: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._and_operator import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.and_operator,
    module=gallery.AndOperator,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self int64[3, 4], other int64[3, 4]",
            {
                "self": engine.random("int64", 3, 4, larger=(4, 4), low=0, high=9),
                "other": engine.random("int64", 3, 4, larger=(4, 4), low=0, high=9),
            },
        ),
    ],
    refusals=[
    ],
)
