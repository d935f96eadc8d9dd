"""What the tests feed to aten::linalg_lu_solve: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_lu_solve import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_lu_solve,
    module=gallery.LinalgLuSolve,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "LU [[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]], pivots int32 [3, 3, 3], B float32[3, 2]",
            {
                "LU": engine.tensor([[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]]),
                "pivots": engine.tensor([3, 3, 3], dtype="int32"),
                "B": engine.random("float32", 3, 2),
            },
        ),
        engine.Sample(
            "LU [[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]], pivots int32 [3, 3, 3], B float32[3, 2], adjoint True",
            {
                "LU": engine.tensor([[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]]),
                "pivots": engine.tensor([3, 3, 3], dtype="int32"),
                "B": engine.random("float32", 3, 2),
                "adjoint": engine.fixed(True),
            },
        ),
        engine.Sample(
            "LU [[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]], pivots int32 [3, 2, 3], B float32[2, 3], left False",
            {
                "LU": engine.tensor([[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]]),
                "pivots": engine.tensor([3, 2, 3], dtype="int32"),
                "B": engine.random("float32", 2, 3),
                "left": engine.fixed(False),
            },
        ),
        engine.Sample(
            "LU [[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]], pivots int32 [2, 3, 3], B float32[2, 3], left False, adjoint True",
            {
                "LU": engine.tensor([[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 0.35, 0.9]]),
                "pivots": engine.tensor([2, 3, 3], dtype="int32"),
                "B": engine.random("float32", 2, 3),
                "left": engine.fixed(False),
                "adjoint": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
