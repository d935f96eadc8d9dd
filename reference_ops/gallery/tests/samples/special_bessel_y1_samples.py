"""What the tests feed to aten::special_bessel_y1: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_bessel_y1 import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_bessel_y1,
    module=gallery.SpecialBesselY1,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=0.05, high=9.0),
            },
        ),
    ],
    refusals=[
    ],
)
