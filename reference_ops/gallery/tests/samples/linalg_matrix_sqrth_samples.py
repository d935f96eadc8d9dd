"""What the tests feed to aten::linalg_matrix_sqrth: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_matrix_sqrth import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_matrix_sqrth,
    module=gallery.LinalgMatrixSqrth,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[3.0, 0.5, 1.0], [0.5, 2.0, -1.0], [1.0, -1.0, 4.0]]",
            {
                "self": engine.tensor([[3.0, 0.5, 1.0], [0.5, 2.0, -1.0], [1.0, -1.0, 4.0]]),
            },
        ),
        engine.Sample(
            "self [[[1.0, 9.0], [1.0, 1.0]], [[1.0, 1.0], [2.0, 1.0]]]",
            {
                "self": engine.tensor([[[1.0, 9.0], [1.0, 1.0]], [[1.0, 1.0], [2.0, 1.0]]]),
            },
        ),
        engine.Sample(
            "self float32[2, 0, 0]",
            {
                "self": engine.random("float32", 2, 0, 0),
            },
        ),
    ],
    refusals=[
    ],
)
