"""What the tests feed to aten::instance_norm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._instance_norm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.instance_norm,
    module=gallery.InstanceNorm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 3, 5], use_input_stats True, momentum 0.1, eps 1e-05, cudnn_enabled False, weight None, bias None, running_mean None, running_var None",
            {
                "input": engine.random("float32", 2, 3, 5),
                "use_input_stats": engine.fixed(True),
                "momentum": engine.fixed(0.1),
                "eps": engine.fixed(1e-05),
                "cudnn_enabled": engine.fixed(False),
                "weight": engine.fixed(None),
                "bias": engine.fixed(None),
                "running_mean": engine.fixed(None),
                "running_var": engine.fixed(None),
            },
        ),
    ],
    refusals=[
    ],
)
