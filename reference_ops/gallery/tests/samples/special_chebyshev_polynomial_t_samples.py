"""What the tests feed to aten::special_chebyshev_polynomial_t: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_chebyshev_polynomial_t import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_chebyshev_polynomial_t,
    module=gallery.SpecialChebyshevPolynomialT,
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
        engine.Sample(
            'x [1.0, -1.0, 0.5, 0.5, float("nan")], n [3.0, 3.0, -0.5, -2.0, 0.0]',
            {
                "x": engine.tensor([1.0, -1.0, 0.5, 0.5, float("nan")]),
                "n": engine.tensor([3.0, 3.0, -0.5, -2.0, 0.0]),
            },
        ),
    ],
    refusals=[
    ],
)
