"""What the tests feed to aten::floor_divide: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._floor_divide import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.floor_divide,
    module=gallery.FloorDivide,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], other float32[4]",
            {
                "self": engine.random("float32", 3, 4),
                "other": engine.random("float32", 4, low=0.5, high=2.0),
            },
        ),
    ],
    refusals=[
    ],
)
