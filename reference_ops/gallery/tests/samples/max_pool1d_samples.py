"""What the tests feed to aten::max_pool1d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._max_pool1d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.max_pool1d,
    module=gallery.MaxPool1d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 9], kernel_size [3], stride [2], padding [1], ceil_mode True",
            {
                "self": engine.random("float32", 2, 3, 9, larger=(2, 3, 10)),
                "kernel_size": engine.fixed([3]),
                "stride": engine.fixed([2]),
                "padding": engine.fixed([1]),
                "ceil_mode": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self float32[3, 9], kernel_size [2]",
            {
                "self": engine.random("float32", 3, 9),
                "kernel_size": engine.fixed([2]),
            },
        ),
    ],
    refusals=[
    ],
)
