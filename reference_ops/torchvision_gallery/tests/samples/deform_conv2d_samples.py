"""What the tests feed to torchvision::deform_conv2d: the [[samples]] and [[errors]] of its spec."""

import engine

import torchvision_gallery
from torchvision_gallery._deform_conv2d import OP

# fmt: off

CASE = engine.Case(
    package=torchvision_gallery,
    operator=OP,
    function=torchvision_gallery.deform_conv2d,
    module=torchvision_gallery.DeformConv2d,
    kind="existing",
    differentiable=[
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
    ],
)
