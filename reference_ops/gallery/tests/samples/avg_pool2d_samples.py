"""What the tests feed to aten::avg_pool2d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._avg_pool2d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.avg_pool2d,
    module=gallery.AvgPool2d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 9, 8], kernel_size [3, 2], stride [2, 2], padding [1, 1], ceil_mode True, count_include_pad False",
            {
                "self": engine.random("float32", 2, 3, 9, 8, larger=(3, 3, 9, 8)),
                "kernel_size": engine.fixed([3, 2]),
                "stride": engine.fixed([2, 2]),
                "padding": engine.fixed([1, 1]),
                "ceil_mode": engine.fixed(True),
                "count_include_pad": engine.fixed(False),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 9, 8], kernel_size [3, 2]",
            {
                "self": engine.random("float32", 2, 3, 9, 8, larger=(3, 3, 9, 8)),
                "kernel_size": engine.fixed([3, 2]),
            },
        ),
    ],
    refusals=[
    ],
)
