"""Tests of dynamic_resize::resize: the samples and errors of its spec."""

from onnxop_runtime import testing

import dynamic_resize
from dynamic_resize._resize import OP


class TestResize(testing.ComposedTests):
    operator = OP
    function = staticmethod(dynamic_resize.resize)
    module = dynamic_resize.Resize
    autograd_function = dynamic_resize.ResizeFunction
    differentiable = ["input"]
    twice_differentiable = ["input"]

    samples = [
        testing.Sample(
            input=testing.random(
                "float32",
                1,
                3,
                10,
                10,
                larger=(2, 3, 11, 11),
                sizes="n, 3, h, w",
            ),
            scales=testing.tensor([1.0, 1.0, 2.0, 2.0]),
        ),
        testing.Sample(
            input=testing.random("float32", 2, 3, 9, 14, larger=(3, 4, 10, 15), sizes="n, c, h, w"),
            scales=testing.tensor([1.0, 1.0, 0.5, 1.1]),
        ),
    ]

    errors = [
        testing.Error(
            ValueError,
            "scales must be float32",
            input=testing.random("float32", 1, 3, 10, 10),
            scales=testing.tensor([1.0, 1.0, 2.0]),
        ),
        testing.Error(
            ValueError,
            "finite and above 0",
            input=testing.random("float32", 1, 3, 10, 10),
            scales=testing.tensor([1.0, 1.0, 0.0, 2.0]),
        ),
        testing.Error(
            ValueError,
            "finite and above 0",
            input=testing.random("float32", 1, 3, 10, 10),
            scales=testing.tensor([1.0, 1.0, 2.0, -1.0]),
        ),
        testing.Error(
            ValueError,
            "finite and above 0",
            input=testing.random("float32", 1, 3, 10, 10),
            scales=testing.tensor([1.0, 1.0, float("inf"), 2.0]),
        ),
        testing.Error(
            ValueError,
            "finite and above 0",
            input=testing.random("float32", 1, 3, 10, 10),
            scales=testing.tensor([1.0, 1.0, float("nan"), 2.0]),
        ),
        testing.Error(
            ValueError,
            "float32",
            input=testing.random("float32", 1, 3, 10, 10),
            scales=testing.tensor([1.0, 1.0, 1e300, 1e300], dtype="float64"),
        ),
        testing.Error(
            ValueError,
            "leave nothing",
            input=testing.random("float32", 1, 3, 10, 10),
            scales=testing.tensor([1.0, 1.0, 0.05, 1.0]),
        ),
        testing.Error(
            ValueError,
            "begin with 1, 1",
            input=testing.random("float32", 1, 3, 10, 10),
            scales=testing.tensor([2.0, 1.0, 2.0, 2.0]),
        ),
    ]
