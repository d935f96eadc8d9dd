"""What the tests feed to aten::lu_unpack: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._lu_unpack import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.lu_unpack,
    module=gallery.LuUnpack,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "LU_data [[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 3.5, 0.1]], LU_pivots int32 [3, 3, 3]",
            {
                "LU_data": engine.tensor([[4.0, 2.0, 0.6], [0.25, -5.0, 1.5], [0.5, 3.5, 0.1]]),
                "LU_pivots": engine.tensor([3, 3, 3], dtype="int32"),
            },
        ),
        engine.Sample(
            "LU_data float32[2, 3, 2], LU_pivots int32 [[3, 2], [1, 3]]",
            {
                "LU_data": engine.random("float32", 2, 3, 2),
                "LU_pivots": engine.tensor([[3, 2], [1, 3]], dtype="int32"),
            },
        ),
    ],
    refusals=[
    ],
)
