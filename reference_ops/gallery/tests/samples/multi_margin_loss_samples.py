"""What the tests feed to aten::multi_margin_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._multi_margin_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.multi_margin_loss,
    module=gallery.MultiMarginLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], target int64[]",
            {
                "self": engine.random("float32", low=-3.765, high=-3.765),
                "target": engine.random("int64", low=0, high=0),
            },
        ),
    ],
    refusals=[
    ],
)
