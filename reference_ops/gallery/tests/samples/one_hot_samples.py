"""What the tests feed to gallery::one_hot: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._one_hot import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.one_hot,
    module=gallery.OneHot,
    kind="composed",
    autograd_function=gallery.OneHotFunction,
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[0, 2, 1], [4, 0, 2]]",
            {
                "self": engine.tensor([[0, 2, 1], [4, 0, 2]]),
            },
        ),
        engine.Sample(
            "self 2, num_classes 4",
            {
                "self": engine.tensor(2),
                "num_classes": engine.fixed(4),
            },
        ),
    ],
    refusals=[
    ],
)
