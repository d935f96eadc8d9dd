"""What the tests feed to aten::linalg_solve_triangular: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_solve_triangular import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_solve_triangular,
    module=gallery.LinalgSolveTriangular,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]], B float32[3, 2], upper True",
            {
                "self": engine.tensor([[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]),
                "B": engine.random("float32", 3, 2),
                "upper": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
