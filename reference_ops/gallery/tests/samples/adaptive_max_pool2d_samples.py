"""What the tests feed to aten::adaptive_max_pool2d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._adaptive_max_pool2d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.adaptive_max_pool2d,
    module=gallery.AdaptiveMaxPool2d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 7, 6], output_size [3, 4]",
            {
                "self": engine.random("float32", 2, 3, 7, 6, larger=(3, 3, 7, 6)),
                "output_size": engine.fixed([3, 4]),
            },
        ),
        engine.Sample(
            'self [[[1.0, float("nan"), 3.0], [float("inf"), float("inf"), 2.0], [float("-inf"), float("-inf"), float("nan")]]], output_size [2, 2]',
            {
                "self": engine.tensor([[[1.0, float("nan"), 3.0], [float("inf"), float("inf"), 2.0], [float("-inf"), float("-inf"), float("nan")]]]),
                "output_size": engine.fixed([2, 2]),
            },
        ),
    ],
    refusals=[
    ],
)
