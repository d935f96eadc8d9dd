"""What the tests feed to aten::triangular_solve: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._triangular_solve import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.triangular_solve,
    module=gallery.TriangularSolve,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 2], A [[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]",
            {
                "self": engine.random("float32", 3, 2),
                "A": engine.tensor([[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]),
            },
        ),
    ],
    refusals=[
    ],
)
