"""What the tests feed to aten::avg_pool3d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._avg_pool3d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.avg_pool3d,
    module=gallery.AvgPool3d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 9, 8, 5], kernel_size [3, 2, 2], stride [2, 2, 2], padding [1, 1, 0], ceil_mode True, count_include_pad False",
            {
                "self": engine.random("float32", 2, 3, 9, 8, 5, larger=(3, 3, 9, 8, 5)),
                "kernel_size": engine.fixed([3, 2, 2]),
                "stride": engine.fixed([2, 2, 2]),
                "padding": engine.fixed([1, 1, 0]),
                "ceil_mode": engine.fixed(True),
                "count_include_pad": engine.fixed(False),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 9, 8, 5], kernel_size [3, 2, 2]",
            {
                "self": engine.random("float32", 2, 3, 9, 8, 5, larger=(3, 3, 9, 8, 5)),
                "kernel_size": engine.fixed([3, 2, 2]),
            },
        ),
    ],
    refusals=[
    ],
)
