"""What the tests feed to aten::linalg_lu_factor_ex: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_lu_factor_ex import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_lu_factor_ex,
    module=gallery.LinalgLuFactorEx,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A [[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]",
            {
                "A": engine.tensor([[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]),
            },
        ),
    ],
    refusals=[
    ],
)
