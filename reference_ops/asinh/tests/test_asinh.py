"""Tests of asinh::asinh: the samples and errors of its spec."""

from onnxop_runtime import testing

import asinh
from asinh._asinh import OP


class TestAsinh(testing.ElementwiseTests):
    operator = OP
    function = staticmethod(asinh.asinh)
    module = asinh.Asinh
    autograd_function = asinh.AsinhFunction
    differentiable = ["self"]
    twice_differentiable = ["self"]

    samples = [
        testing.Sample(
            self=testing.random("float32", 1, 3, 10, 10, larger=(1, 4, 11, 11)),
        ),
        testing.Sample(
            self=testing.random("float32", 4, 9, larger=(5, 10), low=-1000.0, high=1000.0),
        ),
        testing.Sample(
            self=testing.random("float64", 2, 5, larger=(3, 6)),
        ),
        testing.Sample(
            self=testing.random("float16", 4, 9, larger=(5, 10)),
        ),
    ]
