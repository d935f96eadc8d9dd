"""What the tests feed to aten::special_legendre_polynomial_p: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_legendre_polynomial_p import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_legendre_polynomial_p,
    module=gallery.SpecialLegendrePolynomialP,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "x float32[4, 5], n float32[4, 5]",
            {
                "x": engine.random("float32", 4, 5, larger=(5, 5), low=-2.0, high=2.0),
                "n": engine.random("float32", 4, 5, larger=(5, 5), low=0.0, high=6.0),
            },
        ),
    ],
    refusals=[
    ],
)
