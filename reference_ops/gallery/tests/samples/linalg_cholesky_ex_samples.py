"""What the tests feed to aten::linalg_cholesky_ex: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_cholesky_ex import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_cholesky_ex,
    module=gallery.LinalgCholeskyEx,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[4.0, 2.0, 0.6], [2.0, 5.0, 1.5], [0.6, 1.5, 3.0]]",
            {
                "self": engine.tensor([[4.0, 2.0, 0.6], [2.0, 5.0, 1.5], [0.6, 1.5, 3.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
