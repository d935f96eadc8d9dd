"""What the tests feed to aten::soft_margin_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._soft_margin_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.soft_margin_loss,
    module=gallery.SoftMarginLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], target float32[]",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
                "target": engine.random("float32", low=-1.766, high=-1.766),
            },
        ),
    ],
    refusals=[
    ],
)
