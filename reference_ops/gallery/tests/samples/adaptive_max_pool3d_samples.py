"""What the tests feed to aten::adaptive_max_pool3d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._adaptive_max_pool3d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.adaptive_max_pool3d,
    module=gallery.AdaptiveMaxPool3d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 5, 4, 6], output_size [2, 4, 5]",
            {
                "self": engine.random("float32", 2, 3, 5, 4, 6, larger=(3, 3, 5, 4, 6)),
                "output_size": engine.fixed([2, 4, 5]),
            },
        ),
    ],
    refusals=[
    ],
)
