"""What the tests feed to aten::lcm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._lcm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.lcm,
    module=gallery.Lcm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self int64[4, 5], other int64[4, 5]",
            {
                "self": engine.random("int64", 4, 5, larger=(5, 5), low=-60, high=60),
                "other": engine.random("int64", 4, 5, larger=(5, 5), low=-60, high=60),
            },
        ),
    ],
    refusals=[
    ],
)
