"""What the tests feed to aten::lu_solve: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._lu_solve import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.lu_solve,
    module=gallery.LuSolve,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 2], LU_data [[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]], LU_pivots int32 [3, 3, 3]",
            {
                "self": engine.random("float32", 3, 2),
                "LU_data": engine.tensor([[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]]),
                "LU_pivots": engine.tensor([3, 3, 3], dtype="int32"),
            },
        ),
    ],
    refusals=[
    ],
)
