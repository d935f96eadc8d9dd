"""What the tests feed to aten::triplet_margin_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._triplet_margin_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.triplet_margin_loss,
    module=gallery.TripletMarginLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "anchor float32[5, 10], positive float32[5, 10], negative float32[5, 10], margin 1e-06",
            {
                "anchor": engine.random("float32", 5, 10),
                "positive": engine.random("float32", 5, 10),
                "negative": engine.random("float32", 5, 10),
                "margin": engine.fixed(1e-06),
            },
        ),
    ],
    refusals=[
    ],
)
