"""What the tests feed to aten::nll_loss_nd: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nll_loss_nd import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nll_loss_nd,
    module=gallery.NllLossNd,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 3], target [0, 2, 1, 2], weight float32[3]",
            {
                "self": engine.random("float32", 4, 3),
                "target": engine.tensor([0, 2, 1, 2]),
                "weight": engine.random("float32", 3),
            },
        ),
        engine.Sample(
            "self float32[3], target 2, weight float32[3], reduction 0, ignore_index 1",
            {
                "self": engine.random("float32", 3),
                "target": engine.tensor(2),
                "weight": engine.random("float32", 3),
                "reduction": engine.fixed(0),
                "ignore_index": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
