"""What the tests feed to aten::margin_ranking_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._margin_ranking_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.margin_ranking_loss,
    module=gallery.MarginRankingLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input1 float32[], input2 float32[], target float32[], margin 0.0, reduction 2",
            {
                "input1": engine.random("float32", low=-8.478, high=-8.478),
                "input2": engine.random("float32", low=-1.766, high=-1.766),
                "target": engine.random("float32", low=-4.323, high=-4.323),
                "margin": engine.fixed(0.0),
                "reduction": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
