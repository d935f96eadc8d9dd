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
            "input float32[1, 2, 3], normalized_shape [1, 2, 3], weight float32[1, 2, 3], eps 0.5",
            {
                "input": engine.random("float32", 1, 2, 3, low=43.264, high=781.761),
                "normalized_shape": engine.fixed([1, 2, 3]),
                "weight": engine.random("float32", 1, 2, 3, low=20.24, high=697.951),
                "eps": engine.fixed(0.5),
            },
        ),
    ],
    refusals=[
    ],
)
