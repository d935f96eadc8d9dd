"""What the tests feed to aten::_convolution_mode: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._convolution_mode import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.convolution_mode,
    module=gallery.ConvolutionMode,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'input float32[2, 4, 7, 6], weight float32[4, 2, 3, 2], bias float32[4], stride [1, 1], padding "same", dilation [1, 3], groups 2',
            {
                "input": engine.random("float32", 2, 4, 7, 6, larger=(3, 4, 7, 7)),
                "weight": engine.random("float32", 4, 2, 3, 2),
                "bias": engine.random("float32", 4),
                "stride": engine.fixed([1, 1]),
                "padding": engine.fixed("same"),
                "dilation": engine.fixed([1, 3]),
                "groups": engine.fixed(2),
            },
        ),
        engine.Sample(
            'input float32[2, 4, 7, 6], weight float32[4, 4, 2, 3], stride [1, 1], padding "same", dilation [1, 2], groups 1, bias None',
            {
                "input": engine.random("float32", 2, 4, 7, 6, larger=(3, 4, 7, 6)),
                "weight": engine.random("float32", 4, 4, 2, 3, larger=(4, 4, 3, 3)),
                "stride": engine.fixed([1, 1]),
                "padding": engine.fixed("same"),
                "dilation": engine.fixed([1, 2]),
                "groups": engine.fixed(1),
                "bias": engine.fixed(None),
            },
        ),
        engine.Sample(
            'input float32[2, 4, 7], weight float32[4, 4, 3], stride [1], padding "valid", dilation [1], groups 1, bias None',
            {
                "input": engine.random("float32", 2, 4, 7, larger=(3, 4, 7)),
                "weight": engine.random("float32", 4, 4, 3),
                "stride": engine.fixed([1]),
                "padding": engine.fixed("valid"),
                "dilation": engine.fixed([1]),
                "groups": engine.fixed(1),
                "bias": engine.fixed(None),
            },
        ),
    ],
    refusals=[
    ],
)
