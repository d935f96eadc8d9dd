"""What the tests feed to aten::float_power: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._float_power import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.float_power,
    module=gallery.FloatPower,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3], exponent float32[3]",
            {
                "self": engine.random("float32", 3, low=0.1, high=4.0),
                "exponent": engine.random("float32", 3),
            },
        ),
    ],
    refusals=[
    ],
)
