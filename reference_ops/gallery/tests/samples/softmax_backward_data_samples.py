"""What the tests feed to aten::_softmax_backward_data: the [[samples]] and [[errors]] of its spec."""

import engine
import torch

import gallery
from gallery._softmax_backward_data import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.softmax_backward_data,
    module=gallery.SoftmaxBackwardData,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "grad_output float32[3, 4], output float32[3, 4], dim 1, input_dtype torch.float32",
            {
                "grad_output": engine.random("float32", 3, 4),
                "output": engine.random("float32", 3, 4),
                "dim": engine.fixed(1),
                "input_dtype": engine.fixed(torch.float32),
            },
        ),
    ],
    refusals=[
    ],
)
