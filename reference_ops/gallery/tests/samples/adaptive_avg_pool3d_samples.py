"""What the tests feed to aten::adaptive_avg_pool3d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._adaptive_avg_pool3d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.adaptive_avg_pool3d,
    module=gallery.AdaptiveAvgPool3d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 7, 6, 5], output_size [3, 4, 2]",
            {
                "self": engine.random("float32", 2, 3, 7, 6, 5, larger=(3, 3, 7, 6, 5)),
                "output_size": engine.fixed([3, 4, 2]),
            },
        ),
    ],
    refusals=[
    ],
)
