"""What the tests feed to aten::special_spherical_bessel_j0: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_spherical_bessel_j0 import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_spherical_bessel_j0,
    module=gallery.SpecialSphericalBesselJ0,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "x float32[4, 5]",
            {
                "x": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
        engine.Sample(
            'x [float("inf"), float("-inf"), float("nan"), 0.0]',
            {
                "x": engine.tensor([float("inf"), float("-inf"), float("nan"), 0.0]),
            },
        ),
    ],
    refusals=[
    ],
)
