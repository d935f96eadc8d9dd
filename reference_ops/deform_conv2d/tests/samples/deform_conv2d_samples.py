"""What the tests feed to deform_conv2d::deform_conv2d: the [[samples]] and [[errors]] of its spec."""

import engine

import deform_conv2d
from deform_conv2d._deform_conv2d import OP

# fmt: off

CASE = engine.Case(
    package=deform_conv2d,
    operator=OP,
    function=deform_conv2d.deform_conv2d,
    module=deform_conv2d.DeformConv2d,
    kind="source",
    autograd_function=deform_conv2d.DeformConv2dFunction,
    differentiable=[
        "input",
        "weight",
        "offset",
        "mask",
        "bias",
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[1, 3, 10, 10], weight float32[3, 3, 3, 3], offset float32[1, 18, 8, 8], mask float32[1, 1], bias float32[3], stride_h 1, stride_w 1, pad_h 0, pad_w 0, dilation_h 1, dilation_w 1, grou...",
            {
                "input": engine.random("float32", 1, 3, 10, 10, larger=(2, 3, 11, 11)),
                "weight": engine.random("float32", 3, 3, 3, 3),
                "offset": engine.random("float32", 1, 18, 8, 8, larger=(2, 18, 9, 9)),
                "mask": engine.random("float32", 1, 1, larger=(2, 1)),
                "bias": engine.random("float32", 3),
                "stride_h": engine.fixed(1),
                "stride_w": engine.fixed(1),
                "pad_h": engine.fixed(0),
                "pad_w": engine.fixed(0),
                "dilation_h": engine.fixed(1),
                "dilation_w": engine.fixed(1),
                "groups": engine.fixed(1),
                "offset_groups": engine.fixed(1),
                "use_mask": engine.fixed(False),
            },
        ),
        engine.Sample(
            "input float32[2, 4, 9, 11], weight float32[6, 2, 3, 2], offset float32[2, 24, 5, 4], mask float32[2, 12, 5, 4], bias float32[6], stride_h 2, stride_w 3, pad_h 2, pad_w 1, dilation_h 2, dilation_w 3...",
            {
                "input": engine.random("float32", 2, 4, 9, 11, larger=(3, 4, 10, 12)),
                "weight": engine.random("float32", 6, 2, 3, 2),
                "offset": engine.random("float32", 2, 24, 5, 4, larger=(3, 24, 5, 4)),
                "mask": engine.random("float32", 2, 12, 5, 4, larger=(3, 12, 5, 4)),
                "bias": engine.random("float32", 6),
                "stride_h": engine.fixed(2),
                "stride_w": engine.fixed(3),
                "pad_h": engine.fixed(2),
                "pad_w": engine.fixed(1),
                "dilation_h": engine.fixed(2),
                "dilation_w": engine.fixed(3),
                "groups": engine.fixed(2),
                "offset_groups": engine.fixed(2),
                "use_mask": engine.fixed(True),
            },
        ),
        engine.Sample(
            "input float32[2, 2, 6, 7], weight float32[3, 2, 1, 1], offset float32[2, 2, 6, 7], mask float32[2, 1, 6, 7], bias float32[3], stride_h 1, stride_w 1, pad_h 0, pad_w 0, dilation_h 1, dilation_w 1, g...",
            {
                "input": engine.random("float32", 2, 2, 6, 7, larger=(3, 2, 7, 8)),
                "weight": engine.random("float32", 3, 2, 1, 1),
                "offset": engine.random("float32", 2, 2, 6, 7, larger=(3, 2, 7, 8)),
                "mask": engine.random("float32", 2, 1, 6, 7, larger=(3, 1, 7, 8)),
                "bias": engine.tensor([0.0, 0.0, 0.0]),
                "stride_h": engine.fixed(1),
                "stride_w": engine.fixed(1),
                "pad_h": engine.fixed(0),
                "pad_w": engine.fixed(0),
                "dilation_h": engine.fixed(1),
                "dilation_w": engine.fixed(1),
                "groups": engine.fixed(1),
                "offset_groups": engine.fixed(1),
                "use_mask": engine.fixed(True),
            },
        ),
    ],
    refusals=[
        engine.Refusal(
            "input float32[1, 3, 10, 10], weight float32[3, 3, 3, 3], offset float32[1, 18, 8, 7], mask float32[1, 1], bias float32[3], stride_h 1, stride_w 1, pad_h 0, pad_w 0, dilation_h 1, dilation_w 1, grou...: RuntimeError",
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "weight": engine.random("float32", 3, 3, 3, 3),
                "offset": engine.random("float32", 1, 18, 8, 7),
                "mask": engine.random("float32", 1, 1),
                "bias": engine.random("float32", 3),
                "stride_h": engine.fixed(1),
                "stride_w": engine.fixed(1),
                "pad_h": engine.fixed(0),
                "pad_w": engine.fixed(0),
                "dilation_h": engine.fixed(1),
                "dilation_w": engine.fixed(1),
                "groups": engine.fixed(1),
                "offset_groups": engine.fixed(1),
                "use_mask": engine.fixed(False),
            },
            RuntimeError,
            "offset must have the shape",
        ),
        engine.Refusal(
            "input float32[1, 3, 10, 10], weight float32[3, 3, 3, 3], offset float32[1, 18, 10, 10], mask float32[1, 1], bias float32[3], stride_h 0, stride_w 1, pad_h 0, pad_w 0, dilation_h 1, dilation_w 1, gr...: RuntimeError",
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "weight": engine.random("float32", 3, 3, 3, 3),
                "offset": engine.random("float32", 1, 18, 10, 10),
                "mask": engine.random("float32", 1, 1),
                "bias": engine.random("float32", 3),
                "stride_h": engine.fixed(0),
                "stride_w": engine.fixed(1),
                "pad_h": engine.fixed(0),
                "pad_w": engine.fixed(0),
                "dilation_h": engine.fixed(1),
                "dilation_w": engine.fixed(1),
                "groups": engine.fixed(1),
                "offset_groups": engine.fixed(1),
                "use_mask": engine.fixed(False),
            },
            RuntimeError,
            "stride_h must be at least 1",
        ),
    ],
)
