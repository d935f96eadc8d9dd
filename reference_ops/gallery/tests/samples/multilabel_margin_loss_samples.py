"""What the tests feed to aten::multilabel_margin_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._multilabel_margin_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.multilabel_margin_loss,
    module=gallery.MultilabelMarginLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], target int64[]",
            {
                "self": engine.random("float32", low=5.162, high=5.162),
                "target": engine.random("int64", low=0, high=0),
            },
        ),
    ],
    refusals=[
    ],
)
