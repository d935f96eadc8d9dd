"""What the tests feed to aten::special_xlog1py: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_xlog1py import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_xlog1py,
    module=gallery.SpecialXlog1py,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], other float32[]",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
                "other": engine.random("float32", low=3.025, high=3.025),
            },
        ),
    ],
    refusals=[
    ],
)
