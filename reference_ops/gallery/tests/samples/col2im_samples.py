"""What the tests feed to aten::col2im: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._col2im import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.col2im,
    module=gallery.Col2im,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 18, 12], output_size [4, 6], kernel_size [2, 3], dilation [1, 1], padding [0, 0], stride [1, 1]",
            {
                "self": engine.random("float32", 2, 18, 12, larger=(3, 18, 12)),
                "output_size": engine.fixed([4, 6]),
                "kernel_size": engine.fixed([2, 3]),
                "dilation": engine.fixed([1, 1]),
                "padding": engine.fixed([0, 0]),
                "stride": engine.fixed([1, 1]),
            },
        ),
        engine.Sample(
            "self float32[2, 18, 30], output_size [4, 6], kernel_size [2, 3], dilation [1, 1], padding [1, 1], stride [1, 1]",
            {
                "self": engine.random("float32", 2, 18, 30, larger=(3, 18, 30)),
                "output_size": engine.fixed([4, 6]),
                "kernel_size": engine.fixed([2, 3]),
                "dilation": engine.fixed([1, 1]),
                "padding": engine.fixed([1, 1]),
                "stride": engine.fixed([1, 1]),
            },
        ),
        engine.Sample(
            "self float32[6, 9], output_size [5, 9], kernel_size [2, 3], dilation [2, 1], padding [0, 1], stride [1, 3]",
            {
                "self": engine.random("float32", 6, 9),
                "output_size": engine.fixed([5, 9]),
                "kernel_size": engine.fixed([2, 3]),
                "dilation": engine.fixed([2, 1]),
                "padding": engine.fixed([0, 1]),
                "stride": engine.fixed([1, 3]),
            },
        ),
    ],
    refusals=[
    ],
)
