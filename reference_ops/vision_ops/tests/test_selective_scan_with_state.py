"""Tests of vision_ops::selective_scan_with_state: the samples and errors of its spec."""

from onnxop_runtime import testing

import vision_ops
from vision_ops._selective_scan_with_state import OP


class TestSelectiveScanWithState(testing.SourceTests):
    operator = OP
    function = staticmethod(vision_ops.selective_scan_with_state)
    module = vision_ops.SelectiveScanWithState
    autograd_function = vision_ops.SelectiveScanWithStateFunction
    differentiable = ["u", "delta", "A", "B", "C", "D", "z", "delta_bias", "initial_state"]
    twice_differentiable = ["u", "delta", "A", "B", "C", "D", "z", "delta_bias", "initial_state"]

    samples = [
        testing.Sample(
            u=testing.random("float32", 2, 3, 5, larger=(3, 4, 6), sizes="b, d, l"),
            delta=testing.random("float32", 2, 3, 5, larger=(3, 4, 6), sizes="b, d, l"),
            A=testing.random("float32", 3, 4, larger=(4, 5), sizes="d, n", low=-2.0, high=-0.1),
            B=testing.random("float32", 2, 4, 5, larger=(3, 5, 6), sizes="b, n, l"),
            C=testing.random("float32", 2, 4, 5, larger=(3, 5, 6), sizes="b, n, l"),
            D=testing.random("float32", 3, larger=(4,), sizes="d"),
            z=testing.random("float32", 2, 3, 5, larger=(3, 4, 6), sizes="b, d, l"),
            delta_bias=testing.random("float32", 3, larger=(4,), sizes="d"),
            delta_softplus=testing.fixed(True),
            initial_state=testing.random("float32", 2, 3, 4, larger=(3, 4, 5), sizes="b, d, n"),
        ),
        testing.Sample(
            u=testing.random("bfloat16", 2, 6, 5, larger=(3, 6, 6), sizes="b, 6, l"),
            delta=testing.random("bfloat16", 2, 6, 5, larger=(3, 6, 6), sizes="b, 6, l"),
            A=testing.random("float32", 6, 4, larger=(6, 5), sizes="6, n", low=-2.0, high=-0.1),
            B=testing.random("bfloat16", 2, 1, 4, 5, larger=(3, 1, 5, 6), sizes="b, 1, n, l"),
            C=testing.random("bfloat16", 2, 1, 4, 5, larger=(3, 1, 5, 6), sizes="b, 1, n, l"),
            D=testing.random("float32", 6),
            z=testing.random("bfloat16", 2, 6, 5, larger=(3, 6, 6), sizes="b, 6, l"),
            delta_bias=testing.random("float32", 6),
            delta_softplus=testing.fixed(True),
            initial_state=testing.random("float32", 2, 6, 4, larger=(3, 6, 5), sizes="b, 6, n"),
        ),
        testing.Sample(
            u=testing.random("float32", 2, 6, 1, larger=(3, 6, 1), sizes="b, 6, 1"),
            delta=testing.random("float32", 2, 6, 1, larger=(3, 6, 1), sizes="b, 6, 1"),
            A=testing.random("float32", 6, 4, larger=(6, 5), sizes="6, n", low=-2.0, high=-0.1),
            B=testing.random("float32", 2, 2, 4, 1, larger=(3, 2, 5, 1), sizes="b, 2, n, 1"),
            C=testing.random("float32", 2, 2, 4, 1, larger=(3, 2, 5, 1), sizes="b, 2, n, 1"),
            delta_softplus=testing.fixed(True),
            initial_state=testing.random("float32", 2, 6, 4, larger=(3, 6, 5), sizes="b, 6, n"),
        ),
        testing.Sample(
            u=testing.random("float64", 1, 19, 70, larger=(1, 19, 71), sizes="1, 19, l"),
            delta=testing.random(
                "float64",
                1,
                19,
                70,
                larger=(1, 19, 71),
                sizes="1, 19, l",
                low=0.01,
                high=0.5,
            ),
            A=testing.random("float64", 19, 3, low=-2.0, high=-0.1),
            B=testing.random("float64", 1, 3, 70, larger=(1, 3, 71), sizes="1, 3, l"),
            C=testing.random("float64", 1, 3, 70, larger=(1, 3, 71), sizes="1, 3, l"),
            initial_state=testing.random("float64", 1, 19, 3),
        ),
        testing.Sample(
            u=testing.random("float32", 2, 4, 6, larger=(2, 4, 7), sizes="2, 4, l"),
            delta=testing.random(
                "float16",
                2,
                4,
                6,
                larger=(2, 4, 7),
                sizes="2, 4, l",
                low=0.01,
                high=0.9,
            ),
            A=testing.random("float64", 4, 2, low=-2.0, high=-0.1),
            B=testing.random("bfloat16", 2, 4, 2, 6, larger=(2, 4, 2, 7), sizes="2, 4, 2, l"),
            C=testing.random("float64", 2, 4, 2, 6, larger=(2, 4, 2, 7), sizes="2, 4, 2, l"),
            D=testing.random("float16", 4),
            z=testing.random("bfloat16", 2, 4, 6, larger=(2, 4, 7), sizes="2, 4, l"),
            delta_bias=testing.random("bfloat16", 4, low=0.0, high=0.5),
            initial_state=testing.random("float16", 2, 4, 2),
        ),
        testing.Sample(
            u=testing.random("float16", 1, 3, 6, larger=(1, 3, 7), sizes="1, 3, l"),
            delta=testing.random(
                "float16",
                1,
                3,
                6,
                larger=(1, 3, 7),
                sizes="1, 3, l",
                low=0.01,
                high=0.5,
            ),
            A=testing.random("float16", 3, 2, low=-2.0, high=-0.1),
            B=testing.random(
                "float16",
                1,
                2,
                6,
                larger=(1, 2, 7),
                sizes="1, 2, l",
                low=-1.0,
                high=1.0,
            ),
            C=testing.random(
                "float16",
                1,
                2,
                6,
                larger=(1, 2, 7),
                sizes="1, 2, l",
                low=-1.0,
                high=1.0,
            ),
            D=testing.random("float16", 3),
        ),
        testing.Sample(
            u=testing.random("bfloat16", 1, 3, 4),
            delta=testing.random("bfloat16", 1, 3, 4, low=0.01, high=0.5),
            A=testing.random("bfloat16", 3, 2, low=-2.0, high=-0.1),
            B=testing.random("bfloat16", 1, 2, 4),
            C=testing.random("bfloat16", 1, 2, 4),
            z=testing.random("bfloat16", 1, 3, 4),
            initial_state=testing.random("bfloat16", 1, 3, 2),
        ),
        testing.Sample(
            u=testing.random("float32", 1, 3, 0),
            delta=testing.random("float32", 1, 3, 0),
            A=testing.random("float32", 3, 2),
            B=testing.random("float32", 1, 2, 0),
            C=testing.random("float32", 1, 2, 0),
            initial_state=testing.random("float32", 1, 3, 2),
        ),
    ]

    errors = [
        testing.Error(
            RuntimeError,
            "initial_state must have the shape \\[1, 3, 2\\]",
            u=testing.random("float32", 1, 3, 4),
            delta=testing.random("float32", 1, 3, 4),
            A=testing.random("float32", 3, 2),
            B=testing.random("float32", 1, 2, 4),
            C=testing.random("float32", 1, 2, 4),
            initial_state=testing.random("float32", 1, 2, 3),
        ),
        testing.Error(
            RuntimeError,
            "B must have the shape \\[1, 2, 4\\]",
            u=testing.random("float32", 1, 3, 4),
            delta=testing.random("float32", 1, 3, 4),
            A=testing.random("float32", 3, 2),
            B=testing.random("float32", 1, 3, 4),
            C=testing.random("float32", 1, 2, 4),
        ),
        testing.Error(
            RuntimeError,
            "u must have a multiple of 2 channels",
            u=testing.random("float32", 1, 3, 4),
            delta=testing.random("float32", 1, 3, 4),
            A=testing.random("float32", 3, 2),
            B=testing.random("float32", 1, 2, 2, 4),
            C=testing.random("float32", 1, 2, 2, 4),
        ),
        testing.Error(
            RuntimeError,
            "C must have 4 dimensions",
            u=testing.random("float32", 1, 4, 4),
            delta=testing.random("float32", 1, 4, 4),
            A=testing.random("float32", 4, 2),
            B=testing.random("float32", 1, 2, 2, 4),
            C=testing.random("float32", 1, 2, 4),
        ),
        testing.Error(
            RuntimeError,
            "u must have 3 dimensions",
            u=testing.random("float32", 3, 4),
            delta=testing.random("float32", 3, 4),
            A=testing.random("float32", 3, 2),
            B=testing.random("float32", 1, 2, 4),
            C=testing.random("float32", 1, 2, 4),
        ),
        testing.Error(
            RuntimeError,
            "pass A as float\\d+, because the dtype of A is that of the computation",
            u=testing.random("float32", 1, 3, 4),
            delta=testing.random("float32", 1, 3, 4),
            A=testing.random("bfloat16", 3, 2),
            B=testing.random("float32", 1, 2, 4),
            C=testing.random("float32", 1, 2, 4),
        ),
    ]
