"""What the tests feed to aten::conv_transpose2d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._conv_transpose2d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.conv_transpose2d,
    module=gallery.ConvTranspose2d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 4, 7, 6], weight float32[4, 2, 3, 2], bias float32[4], stride [3, 2], padding [1, 2], output_padding [1, 1], groups 2",
            {
                "input": engine.random("float32", 2, 4, 7, 6, larger=(3, 4, 7, 7)),
                "weight": engine.random("float32", 4, 2, 3, 2),
                "bias": engine.random("float32", 4),
                "stride": engine.fixed([3, 2]),
                "padding": engine.fixed([1, 2]),
                "output_padding": engine.fixed([1, 1]),
                "groups": engine.fixed(2),
            },
        ),
        engine.Sample(
            "input float32[4, 4, 4], weight float32[4, 2, 3, 4], bias float32[2], stride [3, 2], padding [1, 2], output_padding [2, 3], dilation [4, 4]",
            {
                "input": engine.random("float32", 4, 4, 4, larger=(4, 5, 4)),
                "weight": engine.random("float32", 4, 2, 3, 4),
                "bias": engine.random("float32", 2),
                "stride": engine.fixed([3, 2]),
                "padding": engine.fixed([1, 2]),
                "output_padding": engine.fixed([2, 3]),
                "dilation": engine.fixed([4, 4]),
            },
        ),
    ],
    refusals=[
    ],
)
