"""What the tests feed to aten::conv_transpose1d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._conv_transpose1d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.conv_transpose1d,
    module=gallery.ConvTranspose1d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 4, 7], weight float32[4, 2, 3], bias float32[2], stride [2], padding [1], output_padding [1]",
            {
                "input": engine.random("float32", 2, 4, 7, larger=(3, 4, 8)),
                "weight": engine.random("float32", 4, 2, 3),
                "bias": engine.random("float32", 2),
                "stride": engine.fixed([2]),
                "padding": engine.fixed([1]),
                "output_padding": engine.fixed([1]),
            },
        ),
        engine.Sample(
            "input float32[4, 7], weight float32[4, 2, 3], bias float32[2], padding [1], output_padding [2], dilation [3]",
            {
                "input": engine.random("float32", 4, 7, larger=(4, 8)),
                "weight": engine.random("float32", 4, 2, 3),
                "bias": engine.random("float32", 2),
                "padding": engine.fixed([1]),
                "output_padding": engine.fixed([2]),
                "dilation": engine.fixed([3]),
            },
        ),
    ],
    refusals=[
    ],
)
