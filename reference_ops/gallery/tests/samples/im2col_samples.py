"""What the tests feed to aten::im2col: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._im2col import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.im2col,
    module=gallery.Im2col,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 6, 5], kernel_size [2, 3], dilation [1, 2], padding [1, 0], stride [2, 1]",
            {
                "self": engine.random("float32", 2, 3, 6, 5, larger=(3, 3, 6, 5)),
                "kernel_size": engine.fixed([2, 3]),
                "dilation": engine.fixed([1, 2]),
                "padding": engine.fixed([1, 0]),
                "stride": engine.fixed([2, 1]),
            },
        ),
        engine.Sample(
            "self float32[3, 4, 5], kernel_size [2, 2], dilation [1, 1], padding [0, 0], stride [1, 1]",
            {
                "self": engine.random("float32", 3, 4, 5),
                "kernel_size": engine.fixed([2, 2]),
                "dilation": engine.fixed([1, 1]),
                "padding": engine.fixed([0, 0]),
                "stride": engine.fixed([1, 1]),
            },
        ),
    ],
    refusals=[
    ],
)
