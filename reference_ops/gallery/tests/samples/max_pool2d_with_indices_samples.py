"""What the tests feed to aten::max_pool2d_with_indices: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._max_pool2d_with_indices import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.max_pool2d_with_indices,
    module=gallery.MaxPool2dWithIndices,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 7, 8], kernel_size [3, 3], stride [2, 2], padding [1, 1], ceil_mode True",
            {
                "self": engine.random("float32", 2, 3, 7, 8, larger=(3, 3, 7, 9)),
                "kernel_size": engine.fixed([3, 3]),
                "stride": engine.fixed([2, 2]),
                "padding": engine.fixed([1, 1]),
                "ceil_mode": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self float32[3, 7, 8], kernel_size [2, 3]",
            {
                "self": engine.random("float32", 3, 7, 8),
                "kernel_size": engine.fixed([2, 3]),
            },
        ),
    ],
    refusals=[
    ],
)
