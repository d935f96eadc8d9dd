"""What the tests feed to aten::max_pool3d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._max_pool3d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.max_pool3d,
    module=gallery.MaxPool3d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 5, 6, 7], kernel_size [3, 3, 3], stride [2, 2, 2], padding [1, 1, 1], ceil_mode True",
            {
                "self": engine.random("float32", 2, 3, 5, 6, 7, larger=(2, 3, 5, 6, 8)),
                "kernel_size": engine.fixed([3, 3, 3]),
                "stride": engine.fixed([2, 2, 2]),
                "padding": engine.fixed([1, 1, 1]),
                "ceil_mode": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self float32[3, 5, 6, 7], kernel_size [2, 3, 2]",
            {
                "self": engine.random("float32", 3, 5, 6, 7),
                "kernel_size": engine.fixed([2, 3, 2]),
            },
        ),
    ],
    refusals=[
    ],
)
