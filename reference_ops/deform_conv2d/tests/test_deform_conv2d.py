"""Tests of deform_conv2d::deform_conv2d: the samples and errors of its spec."""

from onnxop_runtime import testing

import deform_conv2d
from deform_conv2d._deform_conv2d import OP


class TestDeformConv2d(testing.SourceTests):
    operator = OP
    function = staticmethod(deform_conv2d.deform_conv2d)
    module = deform_conv2d.DeformConv2d
    autograd_function = deform_conv2d.DeformConv2dFunction
    differentiable = ["input", "weight", "offset", "mask", "bias"]

    samples = [
        testing.Sample(
            input=testing.random("float32", 1, 3, 6, 7, larger=(2, 3, 7, 8), sizes="n, 3, h, w"),
            weight=testing.random("float32", 3, 3, 3, 3),
            offset=testing.random(
                "float32",
                1,
                18,
                4,
                5,
                larger=(2, 18, 5, 6),
                sizes="n, 18, h - 2, w - 2",
            ),
            mask=testing.random("float32", 1, 1, larger=(2, 1), sizes="n, 1"),
            bias=testing.random("float32", 3),
            stride_h=testing.fixed(1),
            stride_w=testing.fixed(1),
            pad_h=testing.fixed(0),
            pad_w=testing.fixed(0),
            dilation_h=testing.fixed(1),
            dilation_w=testing.fixed(1),
            groups=testing.fixed(1),
            offset_groups=testing.fixed(1),
            use_mask=testing.fixed(False),
        ),
        testing.Sample(
            input=testing.random("float32", 2, 4, 9, 11, larger=(3, 4, 10, 12), sizes="n, 4, h, w"),
            weight=testing.random("float32", 6, 2, 3, 2),
            offset=testing.random(
                "float32",
                2,
                24,
                5,
                4,
                larger=(3, 24, 5, 4),
                sizes="n, 24, (h + 2 * 2 - 2 * 1 - 3) // 2 + 1, (w + 2 * 1 - 1 * 3 - 1) // 3 + 1",
            ),
            mask=testing.random(
                "float32",
                2,
                12,
                5,
                4,
                larger=(3, 12, 5, 4),
                sizes="n, 12, (h + 2 * 2 - 2 * 1 - 3) // 2 + 1, (w + 2 * 1 - 1 * 3 - 1) // 3 + 1",
            ),
            bias=testing.random("float32", 6),
            stride_h=testing.fixed(2),
            stride_w=testing.fixed(3),
            pad_h=testing.fixed(2),
            pad_w=testing.fixed(1),
            dilation_h=testing.fixed(2),
            dilation_w=testing.fixed(3),
            groups=testing.fixed(2),
            offset_groups=testing.fixed(2),
            use_mask=testing.fixed(True),
        ),
        testing.Sample(
            input=testing.random("float32", 2, 2, 6, 7, larger=(3, 2, 7, 8), sizes="n, 2, h, w"),
            weight=testing.random("float32", 3, 2, 1, 1),
            offset=testing.random("float32", 2, 2, 6, 7, larger=(3, 2, 7, 8), sizes="n, 2, h, w"),
            mask=testing.random("float32", 2, 1, 6, 7, larger=(3, 1, 7, 8), sizes="n, 1, h, w"),
            bias=testing.tensor([0.0, 0.0, 0.0]),
            stride_h=testing.fixed(1),
            stride_w=testing.fixed(1),
            pad_h=testing.fixed(0),
            pad_w=testing.fixed(0),
            dilation_h=testing.fixed(1),
            dilation_w=testing.fixed(1),
            groups=testing.fixed(1),
            offset_groups=testing.fixed(1),
            use_mask=testing.fixed(True),
        ),
    ]

    errors = [
        testing.Error(
            RuntimeError,
            "offset must have the shape",
            input=testing.random("float32", 1, 3, 10, 10),
            weight=testing.random("float32", 3, 3, 3, 3),
            offset=testing.random("float32", 1, 18, 8, 7),
            mask=testing.random("float32", 1, 1),
            bias=testing.random("float32", 3),
            stride_h=testing.fixed(1),
            stride_w=testing.fixed(1),
            pad_h=testing.fixed(0),
            pad_w=testing.fixed(0),
            dilation_h=testing.fixed(1),
            dilation_w=testing.fixed(1),
            groups=testing.fixed(1),
            offset_groups=testing.fixed(1),
            use_mask=testing.fixed(False),
        ),
        testing.Error(
            RuntimeError,
            "stride_h must be at least 1",
            input=testing.random("float32", 1, 3, 10, 10),
            weight=testing.random("float32", 3, 3, 3, 3),
            offset=testing.random("float32", 1, 18, 10, 10),
            mask=testing.random("float32", 1, 1),
            bias=testing.random("float32", 3),
            stride_h=testing.fixed(0),
            stride_w=testing.fixed(1),
            pad_h=testing.fixed(0),
            pad_w=testing.fixed(0),
            dilation_h=testing.fixed(1),
            dilation_w=testing.fixed(1),
            groups=testing.fixed(1),
            offset_groups=testing.fixed(1),
            use_mask=testing.fixed(False),
        ),
    ]
