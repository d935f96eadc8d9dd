"""What the tests feed to aten::native_batch_norm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._native_batch_norm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.native_batch_norm,
    module=gallery.NativeBatchNorm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[3, 2, 4, 5], weight float32[2], bias float32[2], training True, momentum 0.5, eps 0.6, running_mean None, running_var None",
            {
                "input": engine.random("float32", 3, 2, 4, 5, larger=(4, 3, 4, 5)),
                "weight": engine.random("float32", 2, larger=(3,)),
                "bias": engine.random("float32", 2, larger=(3,)),
                "training": engine.fixed(True),
                "momentum": engine.fixed(0.5),
                "eps": engine.fixed(0.6),
                "running_mean": engine.fixed(None),
                "running_var": engine.fixed(None),
            },
        ),
    ],
    refusals=[
    ],
)
