"""What the tests feed to aten::conv_transpose3d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._conv_transpose3d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.conv_transpose3d,
    module=gallery.ConvTranspose3d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 2, 4, 3, 3], weight float32[2, 1, 3, 2, 2], stride [1, 2, 2], padding [0, 1, 2], output_padding [1, 2, 1], dilation [2, 3, 1]",
            {
                "input": engine.random("float32", 2, 2, 4, 3, 3, larger=(3, 2, 4, 3, 3)),
                "weight": engine.random("float32", 2, 1, 3, 2, 2),
                "stride": engine.fixed([1, 2, 2]),
                "padding": engine.fixed([0, 1, 2]),
                "output_padding": engine.fixed([1, 2, 1]),
                "dilation": engine.fixed([2, 3, 1]),
            },
        ),
    ],
    refusals=[
    ],
)
