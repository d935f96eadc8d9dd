"""Tests of my_lib::my_add: the samples and errors of its spec."""

from onnxop_runtime import testing

import my_add
from my_add._my_add import OP


class TestMyAdd(testing.ElementwiseTests):
    operator = OP
    function = staticmethod(my_add.my_add)
    module = my_add.MyAdd
    autograd_function = my_add.MyAddFunction
    differentiable = ["a", "b"]
    twice_differentiable = ["a", "b"]

    samples = [
        testing.Sample(
            a=testing.random("float32", 1, 3, 10, 10, larger=(1, 4, 11, 11)),
            b=testing.random("float32", 1, 3, 10, 10, larger=(1, 4, 11, 11)),
        ),
        testing.Sample(
            a=testing.random("float64", 2, 1, 5, larger=(3, 1, 6)),
            b=testing.random("float64", 4, 1, larger=(5, 1)),
        ),
        testing.Sample(
            a=testing.random("float16", 3, 7, larger=(4, 8)),
            b=testing.random("float16", 7, larger=(8,)),
        ),
    ]

    errors = [
        testing.Error(
            RuntimeError,
            "cannot be broadcast together",
            a=testing.random("float32", 2),
            b=testing.random("float32", 3),
        ),
    ]
