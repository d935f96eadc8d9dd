"""What the tests feed to aten::linalg_solve_ex: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_solve_ex import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_solve_ex,
    module=gallery.LinalgSolveEx,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A [[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]], B float32[3, 2]",
            {
                "A": engine.tensor([[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]),
                "B": engine.random("float32", 3, 2),
            },
        ),
        engine.Sample(
            "A [[[4.0, 2.0], [1.0, -5.0]], [[0.0, 1.0], [3.0, 2.0]], [[1.0, 0.0], [2.0, 1.0]]], B float32[3, 2]",
            {
                "A": engine.tensor([[[4.0, 2.0], [1.0, -5.0]], [[0.0, 1.0], [3.0, 2.0]], [[1.0, 0.0], [2.0, 1.0]]]),
                "B": engine.random("float32", 3, 2),
            },
        ),
    ],
    refusals=[
    ],
)
