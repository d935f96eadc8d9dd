"""What the tests feed to aten::bitwise_xor: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._bitwise_xor import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.bitwise_xor,
    module=gallery.BitwiseXor,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self int64[], other int64[]",
            {
                "self": engine.random("int64", low=-8, high=-8),
                "other": engine.random("int64", low=6, high=6),
            },
        ),
    ],
    refusals=[
    ],
)
