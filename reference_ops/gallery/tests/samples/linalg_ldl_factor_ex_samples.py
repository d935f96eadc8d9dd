"""What the tests feed to aten::linalg_ldl_factor_ex: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_ldl_factor_ex import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_ldl_factor_ex,
    module=gallery.LinalgLdlFactorEx,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[1.0, 2.0, 0.5], [2.0, 1.0, 4.0], [0.5, 4.0, 1.0]]",
            {
                "self": engine.tensor([[1.0, 2.0, 0.5], [2.0, 1.0, 4.0], [0.5, 4.0, 1.0]]),
            },
        ),
        engine.Sample(
            "self float32[2, 5, 5]",
            {
                "self": engine.random("float32", 2, 5, 5, larger=(3, 5, 5)),
            },
        ),
        engine.Sample(
            "self float32[0, 2, 2]",
            {
                "self": engine.random("float32", 0, 2, 2),
            },
        ),
    ],
    refusals=[
    ],
)
