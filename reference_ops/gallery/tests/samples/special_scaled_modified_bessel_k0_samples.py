"""What the tests feed to aten::special_scaled_modified_bessel_k0: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_scaled_modified_bessel_k0 import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_scaled_modified_bessel_k0,
    module=gallery.SpecialScaledModifiedBesselK0,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "x float32[4, 5]",
            {
                "x": engine.random("float32", 4, 5, larger=(5, 5), low=0.05, high=9.0),
            },
        ),
    ],
    refusals=[
    ],
)
