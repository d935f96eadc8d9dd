"""What the tests feed to aten::_linalg_eigh: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_eigh_factors import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_eigh_factors,
    module=gallery.LinalgEighFactors,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A float32[2, 5, 5], compute_v False",
            {
                "A": engine.random("float32", 2, 5, 5, larger=(3, 5, 5)),
                "compute_v": engine.fixed(False),
            },
        ),
        engine.Sample(
            'A [[3.0, 0.5, 1.0], [0.5, 2.0, -1.0], [1.0, -1.0, -4.0]], UPLO "U", compute_v False',
            {
                "A": engine.tensor([[3.0, 0.5, 1.0], [0.5, 2.0, -1.0], [1.0, -1.0, -4.0]]),
                "UPLO": engine.fixed("U"),
                "compute_v": engine.fixed(False),
            },
        ),
        engine.Sample(
            "A [[3.0, 0.0], [0.0, 2.0]]",
            {
                "A": engine.tensor([[3.0, 0.0], [0.0, 2.0]]),
            },
        ),
        engine.Sample(
            "A [[3e30, 1e30], [1e30, -2e30]], compute_v False",
            {
                "A": engine.tensor([[3e30, 1e30], [1e30, -2e30]]),
                "compute_v": engine.fixed(False),
            },
        ),
        engine.Sample(
            "A float32[0, 0]",
            {
                "A": engine.random("float32", 0, 0),
            },
        ),
    ],
    refusals=[
    ],
)
