"""Tests of vision_ops::roi_align_rotated: the samples and errors of its spec."""

from onnxop_runtime import testing

import vision_ops
from vision_ops._roi_align_rotated import OP


class TestRoiAlignRotated(testing.SourceTests):
    operator = OP
    function = staticmethod(vision_ops.roi_align_rotated)
    module = vision_ops.RoiAlignRotated
    autograd_function = vision_ops.RoiAlignRotatedFunction
    differentiable = ["input"]
    twice_differentiable = ["input"]

    samples = [
        testing.Sample(
            input=testing.random("float32", 2, 5, 9, 8, larger=(2, 5, 10, 9), sizes="2, 5, h, w"),
            rois=testing.tensor(
                [
                    [0, 4.0, 4.0, 5.0, 3.0, 0.3],
                    [1, 9.0, 2.0, 17.0, 12.0, -2.2],
                    [0, 3.0, 3.0, 0.0, 2.0, 0.5],
                    [1, 5.0, 4.0, 0.01, 0.01, 1.0],
                ],
            ),
            spatial_scale=testing.fixed(0.75),
            output_height=testing.fixed(3),
            output_width=testing.fixed(2),
        ),
        testing.Sample(
            input=testing.random("float32", 1, 19, 6, 7),
            rois=testing.tensor(
                [
                    [0, 3.0, 3.0, 20.0, 18.0, 0.7],
                    [0, 0.0, 0.0, 2.0, 1.0, 0.0],
                    [0, 50.0, 3.0, 4.0, 4.0, 0.1],
                ],
            ),
            output_height=testing.fixed(2),
            output_width=testing.fixed(3),
            sampling_ratio=testing.fixed(2),
            aligned=testing.fixed(False),
            clockwise=testing.fixed(True),
        ),
        testing.Sample(
            input=testing.random("float64", 1, 2, 6, 5),
            rois=testing.tensor(
                [[0, 2.5, 3.0, 4.0, 3.0, 0.4], [0, 1.0, 1.0, 0.2, 0.1, 2.0]],
                dtype="float64",
            ),
            output_height=testing.fixed(2),
            output_width=testing.fixed(2),
            sampling_ratio=testing.fixed(1),
            aligned=testing.fixed(False),
        ),
        testing.Sample(
            input=testing.random("float32", 1, 3, 6, 5),
            rois=testing.tensor(
                [
                    [0, 0.1, 0.1, 2.2, 2.2, 0.0],
                    [0, 0.3, 5.7, 2.6, 2.6, 0.0],
                    [0, 0.7, 0.2, 3.4, 2.4, 0.0],
                    [0, 4.9, 0.6, 2.2, 3.2, 0.0],
                    [0, 0.9, 1.1, 3.8, 4.2, 3.1415927410125732],
                ],
            ),
            spatial_scale=testing.fixed(0.7),
            output_height=testing.fixed(3),
            output_width=testing.fixed(3),
            sampling_ratio=testing.fixed(1),
        ),
        testing.Sample(
            input=testing.random("float16", 1, 3, 6, 5),
            rois=testing.tensor([[0, 2.5, 3.0, 4.0, 3.0, 0.5]], dtype="float16"),
            output_height=testing.fixed(2),
            output_width=testing.fixed(2),
        ),
        testing.Sample(
            input=testing.random("bfloat16", 1, 3, 6, 5),
            rois=testing.tensor([[0, 2.5, 3.0, 4.0, 3.0, 0.5]], dtype="bfloat16"),
            output_height=testing.fixed(2),
            output_width=testing.fixed(2),
            sampling_ratio=testing.fixed(2),
        ),
        testing.Sample(
            input=testing.random("float32", 1, 3, 6, 5),
            rois=testing.random("float32", 4, 6, larger=(5, 6), sizes="k, 6", low=0.0, high=0.9),
            sampling_ratio=testing.fixed(2),
        ),
        testing.Sample(
            input=testing.random("float32", 1, 3, 6, 5),
            rois=testing.random("float32", 0, 6),
        ),
    ]

    errors = [
        testing.Error(
            RuntimeError,
            "rois must have the shape",
            input=testing.random("float32", 1, 3, 6, 5),
            rois=testing.random("float32", 4, 5),
        ),
        testing.Error(
            RuntimeError,
            "rois\\[0\\] has image index 1, but the batch size of input is 1",
            input=testing.random("float32", 1, 3, 6, 5),
            rois=testing.tensor([[1.0, 2.0, 2.0, 2.0, 2.0, 0.0]]),
        ),
        testing.Error(
            RuntimeError,
            "output_height must be at least 1",
            input=testing.random("float32", 1, 3, 6, 5),
            rois=testing.random("float32", 1, 6),
            output_height=testing.fixed(0),
        ),
    ]
