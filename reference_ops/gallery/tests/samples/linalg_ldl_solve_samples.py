"""What the tests feed to aten::linalg_ldl_solve: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_ldl_solve import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_ldl_solve,
    module=gallery.LinalgLdlSolve,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "LD [[1.0, 0.0, 0.0], [4.0, 1.0, 0.0], [1.2, -0.6, -4.0]], pivots int32 [-3, -3, 3], B float32[3, 2]",
            {
                "LD": engine.tensor([[1.0, 0.0, 0.0], [4.0, 1.0, 0.0], [1.2, -0.6, -4.0]]),
                "pivots": engine.tensor([-3, -3, 3], dtype="int32"),
                "B": engine.random("float32", 3, 2, larger=(3, 3)),
            },
        ),
        engine.Sample(
            "LD [[[4.0, 0.0], [0.5, 3.0]], [[1.0, 0.0], [4.0, 1.0]]], pivots int32 [[2, 2], [-2, -2]], B float32[2, 3]",
            {
                "LD": engine.tensor([[[4.0, 0.0], [0.5, 3.0]], [[1.0, 0.0], [4.0, 1.0]]]),
                "pivots": engine.tensor([[2, 2], [-2, -2]], dtype="int32"),
                "B": engine.random("float32", 2, 3),
            },
        ),
    ],
    refusals=[
    ],
)
