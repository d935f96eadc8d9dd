"""Tests of vision_ops::nms_rotated: the samples and errors of its spec."""

from onnxop_runtime import testing

import vision_ops
from vision_ops._nms_rotated import OP


class TestNmsRotated(testing.SourceTests):
    operator = OP
    function = staticmethod(vision_ops.nms_rotated)
    module = vision_ops.NmsRotated
    autograd_function = vision_ops.NmsRotatedFunction

    samples = [
        testing.Sample(
            boxes=testing.tensor(
                [
                    [10.0, 10.0, 8.0, 4.0, 0.0],
                    [10.5, 10.0, 8.0, 4.0, 0.1],
                    [10.0, 10.0, 8.0, 4.0, 1.57],
                    [30.0, 9.0, 5.0, 5.0, 0.8],
                    [30.0, 9.0, 5.0, 5.0, -0.77],
                ],
            ),
            scores=testing.tensor([0.9, 0.8, 0.95, 0.3, 0.3]),
            iou_threshold=testing.fixed(0.5),
        ),
        testing.Sample(
            boxes=testing.tensor(
                [
                    [10.0, 10.0, 8.0, 2.0, 0.7],
                    [13.0, 7.4, 8.0, 2.0, 0.8],
                    [40.0, 10.0, 8.0, 2.0, 0.7],
                    [43.0, 12.6, 8.0, 2.0, 0.8],
                ],
            ),
            scores=testing.tensor([0.9, 0.8, 0.7, 0.6]),
            iou_threshold=testing.fixed(0.1),
        ),
        testing.Sample(
            boxes=testing.tensor(
                [
                    [10.0, 10.0, 8.0, 2.0, 0.7],
                    [13.0, 7.4, 8.0, 2.0, 0.8],
                    [40.0, 10.0, 8.0, 2.0, 0.7],
                    [43.0, 12.6, 8.0, 2.0, 0.8],
                ],
            ),
            scores=testing.tensor([0.9, 0.8, 0.7, 0.6]),
            iou_threshold=testing.fixed(0.1),
            clockwise=testing.fixed(True),
        ),
        testing.Sample(
            boxes=testing.tensor(
                [
                    [1.0, 1.0, 2.0, 1.0, 0.5],
                    [1.0, 1.0, 2.0, 1.0, 0.5],
                    [1.0, 1.0, 0.0, 1.0, 0.5],
                    [1.0, 1.0, 0.0, 0.0, 0.5],
                    [1.0, 1.0, -2.0, 1.0, 0.5],
                    [1.0, 1.0, 1.0, 2.0, 0.5],
                ],
            ),
            scores=testing.tensor([0.5, 0.5, 0.5, 0.5, 0.5, 0.5]),
            iou_threshold=testing.fixed(0.4),
        ),
        testing.Sample(
            boxes=testing.tensor(
                [
                    [0.0, 0.0, 2.0, 2.0, 0.1],
                    [0.1, -1.9, 2.0, 1.5, 0.2],
                    [50.0, 0.0, 2.0, 2.0, 0.6],
                    [51.6, -2.9, 2.0, 2.1, 0.6],
                    [0.2, 0.1, 0.0, 1.0, 0.5],
                    [10.0, 10.0, 2.0, 2.0, 0.0],
                    [12.0, 10.0, 2.0, 2.0, 0.0],
                    [10.0, 20.0, 2.0, 2.0, 0.7],
                    [11.529684374568978, 21.28843537447538, 2.0, 2.0, 0.7],
                    [10.0, 11.9999, 1.0, 2.0, 0.0],
                ],
                dtype="float64",
            ),
            scores=testing.tensor(
                [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.2, 0.1],
                dtype="float64",
            ),
            iou_threshold=testing.fixed(0.0),
            clockwise=testing.fixed(True),
        ),
        testing.Sample(
            boxes=testing.tensor(
                [
                    [0.0, 0.0, 1.0, 1.0, 0.1],
                    [5.0, 0.0, 1.0, 1.0, 0.2],
                    [0.1, 0.0, 1.0, 1.0, 0.3],
                    [5.0, 0.1, 1.0, 1.0, 0.4],
                    [9.0, 0.0, 1.0, 1.0, 0.5],
                    [0.0, 9.0, 1.0, 1.0, 0.5],
                ],
            ),
            scores=testing.tensor(
                [0.3, float("nan"), float("inf"), 0.9, float("nan"), float("-inf")],
            ),
            iou_threshold=testing.fixed(0.3),
        ),
        testing.Sample(
            boxes=testing.random("float32", 40, 5, larger=(41, 5), sizes="n, 5", low=0.1, high=3.0),
            scores=testing.random("float32", 40, larger=(41,), sizes="n"),
            iou_threshold=testing.fixed(0.3),
        ),
        testing.Sample(
            boxes=testing.random("float64", 20, 5, larger=(21, 5), sizes="n, 5", low=0.1, high=3.0),
            scores=testing.random("float64", 20, larger=(21,), sizes="n"),
            iou_threshold=testing.fixed(0.3),
            clockwise=testing.fixed(True),
        ),
        testing.Sample(
            boxes=testing.random("float16", 20, 5, larger=(21, 5), sizes="n, 5", low=0.1, high=3.0),
            scores=testing.random("float16", 20, larger=(21,), sizes="n"),
            iou_threshold=testing.fixed(0.3),
        ),
        testing.Sample(
            boxes=testing.random("bfloat16", 12, 5, low=0.1, high=3.0),
            scores=testing.random("bfloat16", 12),
            iou_threshold=testing.fixed(0.3),
        ),
        testing.Sample(
            boxes=testing.random("float32", 0, 5),
            scores=testing.random("float32", 0),
            iou_threshold=testing.fixed(0.5),
        ),
    ]

    errors = [
        testing.Error(
            RuntimeError,
            "boxes must have the shape \\[n, 5\\]",
            boxes=testing.random("float32", 4, 4),
            scores=testing.random("float32", 4),
            iou_threshold=testing.fixed(0.5),
        ),
        testing.Error(
            RuntimeError,
            "scores must have one for each of the 4 boxes",
            boxes=testing.random("float32", 4, 5),
            scores=testing.random("float32", 3),
            iou_threshold=testing.fixed(0.5),
        ),
    ]
