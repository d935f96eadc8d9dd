"""Tests of vision_ops::carafe: the samples and errors of its spec."""

from onnxop_runtime import testing

import vision_ops
from vision_ops._carafe import OP


class TestCarafe(testing.SourceTests):
    operator = OP
    function = staticmethod(vision_ops.carafe)
    module = vision_ops.Carafe
    autograd_function = vision_ops.CarafeFunction
    differentiable = ["features", "masks"]
    twice_differentiable = ["features", "masks"]

    samples = [
        testing.Sample(
            features=testing.random("float32", 2, 4, 3, 4, larger=(3, 4, 4, 5), sizes="n, 4, h, w"),
            masks=testing.random(
                "float32",
                2,
                18,
                6,
                8,
                larger=(3, 18, 8, 10),
                sizes="n, 18, 2 * h, 2 * w",
            ),
            kernel_size=testing.fixed(3),
            group_size=testing.fixed(2),
            scale_factor=testing.fixed(2),
        ),
        testing.Sample(
            features=testing.random(
                "float32",
                1,
                19,
                2,
                3,
                larger=(1, 19, 3, 4),
                sizes="1, 19, h, w",
            ),
            masks=testing.random(
                "float32",
                1,
                25,
                4,
                6,
                larger=(1, 25, 6, 8),
                sizes="1, 25, 2 * h, 2 * w",
            ),
            kernel_size=testing.fixed(5),
            group_size=testing.fixed(1),
            scale_factor=testing.fixed(2),
        ),
        testing.Sample(
            features=testing.random("float64", 1, 2, 3, 2, larger=(1, 2, 4, 3), sizes="1, 2, h, w"),
            masks=testing.random(
                "float64",
                1,
                4,
                9,
                6,
                larger=(1, 4, 12, 9),
                sizes="1, 4, 3 * h, 3 * w",
            ),
            kernel_size=testing.fixed(2),
            group_size=testing.fixed(1),
            scale_factor=testing.fixed(3),
        ),
        testing.Sample(
            features=testing.random("float16", 1, 4, 3, 2, larger=(1, 4, 4, 3), sizes="1, 4, h, w"),
            masks=testing.random(
                "float16",
                1,
                9,
                3,
                2,
                larger=(1, 9, 4, 3),
                sizes="1, 9, h, w",
                low=0.0,
                high=0.3,
            ),
            kernel_size=testing.fixed(3),
            group_size=testing.fixed(1),
            scale_factor=testing.fixed(1),
        ),
        testing.Sample(
            features=testing.random("bfloat16", 1, 4, 3, 2),
            masks=testing.random("bfloat16", 1, 1, 6, 4, low=0.0, high=0.3),
            kernel_size=testing.fixed(1),
            group_size=testing.fixed(1),
            scale_factor=testing.fixed(2),
        ),
        testing.Sample(
            features=testing.random("float64", 1, 4, 0, 2),
            masks=testing.random("float64", 1, 9, 0, 4),
            kernel_size=testing.fixed(3),
            group_size=testing.fixed(1),
            scale_factor=testing.fixed(2),
        ),
        testing.Sample(
            features=testing.random("float32", 0, 4, 3, 2),
            masks=testing.random("float32", 0, 9, 6, 4),
            kernel_size=testing.fixed(3),
            group_size=testing.fixed(1),
            scale_factor=testing.fixed(2),
        ),
    ]

    errors = [
        testing.Error(
            RuntimeError,
            "masks must have the shape \\[1, 9, 6, 4\\]",
            features=testing.random("float32", 1, 4, 3, 2),
            masks=testing.random("float32", 1, 8, 6, 4),
            kernel_size=testing.fixed(3),
            group_size=testing.fixed(1),
            scale_factor=testing.fixed(2),
        ),
        testing.Error(
            RuntimeError,
            "a multiple of 3 channels",
            features=testing.random("float32", 1, 4, 3, 2),
            masks=testing.random("float32", 1, 27, 6, 4),
            kernel_size=testing.fixed(3),
            group_size=testing.fixed(3),
            scale_factor=testing.fixed(2),
        ),
        testing.Error(
            RuntimeError,
            "scale_factor must be at least 1",
            features=testing.random("float32", 1, 4, 3, 2),
            masks=testing.random("float32", 1, 9, 6, 4),
            kernel_size=testing.fixed(3),
            group_size=testing.fixed(1),
            scale_factor=testing.fixed(0),
        ),
    ]
