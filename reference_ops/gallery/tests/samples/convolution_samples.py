"""What the tests feed to aten::_convolution: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._convolution import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.convolution,
    module=gallery.Convolution,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 4, 7, 6], weight float32[4, 2, 3, 2], bias float32[4], stride [2, 1], padding [1, 0], dilation [1, 2], transposed False, output_padding [0, 0], groups 2, benchmark False, determini...",
            {
                "input": engine.random("float32", 2, 4, 7, 6, larger=(3, 4, 7, 7)),
                "weight": engine.random("float32", 4, 2, 3, 2),
                "bias": engine.random("float32", 4),
                "stride": engine.fixed([2, 1]),
                "padding": engine.fixed([1, 0]),
                "dilation": engine.fixed([1, 2]),
                "transposed": engine.fixed(False),
                "output_padding": engine.fixed([0, 0]),
                "groups": engine.fixed(2),
                "benchmark": engine.fixed(False),
                "deterministic": engine.fixed(False),
                "cudnn_enabled": engine.fixed(True),
                "allow_tf32": engine.fixed(True),
            },
        ),
        engine.Sample(
            "input float32[2, 4, 7], weight float32[4, 2, 3], stride [2], padding [1], dilation [1], transposed True, output_padding [1], groups 1, benchmark False, deterministic False, cudnn_enabled True, allo...",
            {
                "input": engine.random("float32", 2, 4, 7, larger=(3, 4, 7)),
                "weight": engine.random("float32", 4, 2, 3, larger=(4, 2, 4)),
                "stride": engine.fixed([2]),
                "padding": engine.fixed([1]),
                "dilation": engine.fixed([1]),
                "transposed": engine.fixed(True),
                "output_padding": engine.fixed([1]),
                "groups": engine.fixed(1),
                "benchmark": engine.fixed(False),
                "deterministic": engine.fixed(False),
                "cudnn_enabled": engine.fixed(True),
                "allow_tf32": engine.fixed(True),
                "bias": engine.fixed(None),
            },
        ),
        engine.Sample(
            "input float32[1, 2, 4, 4], weight float32[2, 3, 3, 2], bias float32[3], stride [1, 2], padding [0, 2], dilation [3, 3], transposed True, output_padding [2, 1], groups 1, benchmark False, determinis...",
            {
                "input": engine.random("float32", 1, 2, 4, 4, larger=(2, 2, 5, 4)),
                "weight": engine.random("float32", 2, 3, 3, 2),
                "bias": engine.random("float32", 3),
                "stride": engine.fixed([1, 2]),
                "padding": engine.fixed([0, 2]),
                "dilation": engine.fixed([3, 3]),
                "transposed": engine.fixed(True),
                "output_padding": engine.fixed([2, 1]),
                "groups": engine.fixed(1),
                "benchmark": engine.fixed(False),
                "deterministic": engine.fixed(False),
                "cudnn_enabled": engine.fixed(True),
                "allow_tf32": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
