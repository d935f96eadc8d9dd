"""What the tests feed to aten::linalg_matrix_norm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_matrix_norm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_matrix_norm,
    module=gallery.LinalgMatrixNorm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 3], ord 1",
            {
                "self": engine.random("float32", 4, 3),
                "ord": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
