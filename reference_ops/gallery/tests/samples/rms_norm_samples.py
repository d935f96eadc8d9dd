"""What the tests feed to aten::rms_norm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._rms_norm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.rms_norm,
    module=gallery.RmsNorm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[4, 5], normalized_shape [5], weight float32[5]",
            {
                "input": engine.random("float32", 4, 5, larger=(5, 5)),
                "normalized_shape": engine.fixed([5]),
                "weight": engine.random("float32", 5),
            },
        ),
        engine.Sample(
            "input float32[4, 3, 5], normalized_shape [3, 5], eps 0.001",
            {
                "input": engine.random("float32", 4, 3, 5, larger=(5, 3, 5)),
                "normalized_shape": engine.fixed([3, 5]),
                "eps": engine.fixed(0.001),
            },
        ),
        engine.Sample(
            "input float64 [[0.0, -0.0]], normalized_shape [2]",
            {
                "input": engine.tensor([[0.0, -0.0]], dtype="float64"),
                "normalized_shape": engine.fixed([2]),
            },
        ),
    ],
    refusals=[
    ],
)
