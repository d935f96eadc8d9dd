"""What the tests feed to gallery::ctc_loss_tensor: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._ctc_loss_tensor import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.ctc_loss_tensor,
    module=gallery.CtcLossTensor,
    kind="composed",
    autograd_function=gallery.CtcLossTensorFunction,
    differentiable=[
        "targets",
        "input_lengths",
        "target_lengths",
    ],
    twice_differentiable=[
        "targets",
        "input_lengths",
        "target_lengths",
    ],
    samples=[
        engine.Sample(
            "log_probs float32[6, 2, 5], targets [[1, 2, 2], [3, 1, 0]], input_lengths [6, 5], target_lengths [3, 2]",
            {
                "log_probs": engine.random("float32", 6, 2, 5, larger=(7, 2, 6)),
                "targets": engine.tensor([[1, 2, 2], [3, 1, 0]]),
                "input_lengths": engine.tensor([6, 5]),
                "target_lengths": engine.tensor([3, 2]),
            },
        ),
        engine.Sample(
            "log_probs float32[6, 3, 5], targets [1, 2, 2, 3, 1], input_lengths [6, 1, 5], target_lengths [3, 0, 2], reduction 0",
            {
                "log_probs": engine.random("float32", 6, 3, 5, larger=(7, 3, 5)),
                "targets": engine.tensor([1, 2, 2, 3, 1]),
                "input_lengths": engine.tensor([6, 1, 5]),
                "target_lengths": engine.tensor([3, 0, 2]),
                "reduction": engine.fixed(0),
            },
        ),
        engine.Sample(
            "log_probs float32[3, 5], targets [1, 2, 2], input_lengths [3], target_lengths [3], blank 4, reduction 2, zero_infinity True",
            {
                "log_probs": engine.random("float32", 3, 5, larger=(4, 5)),
                "targets": engine.tensor([1, 2, 2]),
                "input_lengths": engine.tensor([3]),
                "target_lengths": engine.tensor([3]),
                "blank": engine.fixed(4),
                "reduction": engine.fixed(2),
                "zero_infinity": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
