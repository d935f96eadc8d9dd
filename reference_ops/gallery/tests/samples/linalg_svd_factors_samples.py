"""What the tests feed to aten::_linalg_svd: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_svd_factors import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_svd_factors,
    module=gallery.LinalgSvdFactors,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A float32[5, 3], compute_uv False",
            {
                "A": engine.random("float32", 5, 3),
                "compute_uv": engine.fixed(False),
            },
        ),
        engine.Sample(
            "A float32[2, 3, 4], compute_uv False",
            {
                "A": engine.random("float32", 2, 3, 4, larger=(3, 3, 4)),
                "compute_uv": engine.fixed(False),
            },
        ),
        engine.Sample(
            "A [[3.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]",
            {
                "A": engine.tensor([[3.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]]),
            },
        ),
        engine.Sample(
            "A float32[2, 3, 0], full_matrices True",
            {
                "A": engine.random("float32", 2, 3, 0),
                "full_matrices": engine.fixed(True),
            },
        ),
        engine.Sample(
            "A float32[0, 3, 4]",
            {
                "A": engine.random("float32", 0, 3, 4),
            },
        ),
        engine.Sample(
            "A [[3e30, 1e30, 0.0], [1e30, -2e30, 1e25]], compute_uv False",
            {
                "A": engine.tensor([[3e30, 1e30, 0.0], [1e30, -2e30, 1e25]]),
                "compute_uv": engine.fixed(False),
            },
        ),
    ],
    refusals=[
    ],
)
