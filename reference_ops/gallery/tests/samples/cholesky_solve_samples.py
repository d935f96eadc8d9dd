"""What the tests feed to aten::cholesky_solve: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cholesky_solve import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cholesky_solve,
    module=gallery.CholeskySolve,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 2], input2 [[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.3, 0.6, 1.5]]",
            {
                "self": engine.random("float32", 3, 2),
                "input2": engine.tensor([[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.3, 0.6, 1.5]]),
            },
        ),
    ],
    refusals=[
    ],
)
