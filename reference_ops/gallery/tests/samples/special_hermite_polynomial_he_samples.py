"""What the tests feed to aten::special_hermite_polynomial_he: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_hermite_polynomial_he import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_hermite_polynomial_he,
    module=gallery.SpecialHermitePolynomialHe,
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
