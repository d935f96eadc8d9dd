"""What the tests feed to aten::linalg_vector_norm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_vector_norm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_vector_norm,
    module=gallery.LinalgVectorNorm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4, 5], dim [1]",
            {
                "self": engine.random("float32", 3, 4, 5, larger=(4, 4, 5)),
                "dim": engine.fixed([1]),
            },
        ),
        engine.Sample(
            "self float32[3, 4], ord 3.0, keepdim True",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "ord": engine.fixed(3.0),
                "keepdim": engine.fixed(True),
            },
        ),
        engine.Sample(
            'self [[1.0, 2.0, float("nan")], [1.0, float("-inf"), 3.0]], ord float("inf"), dim [-1]',
            {
                "self": engine.tensor([[1.0, 2.0, float("nan")], [1.0, float("-inf"), 3.0]]),
                "ord": engine.fixed(float("inf")),
                "dim": engine.fixed([-1]),
            },
        ),
    ],
    refusals=[
    ],
)
