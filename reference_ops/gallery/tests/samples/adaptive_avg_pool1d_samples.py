"""What the tests feed to aten::adaptive_avg_pool1d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._adaptive_avg_pool1d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.adaptive_avg_pool1d,
    module=gallery.AdaptiveAvgPool1d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 7], output_size [3]",
            {
                "self": engine.random("float32", 2, 3, 7, larger=(3, 3, 7)),
                "output_size": engine.fixed([3]),
            },
        ),
        engine.Sample(
            'self [[1.0, 2.0, 3.0, float("inf"), 5.0, 2.0, float("nan")]], output_size [3]',
            {
                "self": engine.tensor([[1.0, 2.0, 3.0, float("inf"), 5.0, 2.0, float("nan")]]),
                "output_size": engine.fixed([3]),
            },
        ),
    ],
    refusals=[
    ],
)
