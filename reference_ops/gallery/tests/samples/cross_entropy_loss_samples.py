"""What the tests feed to aten::cross_entropy_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cross_entropy_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cross_entropy_loss,
    module=gallery.CrossEntropyLoss,
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
            "self float32[2, 3, 2], target [[0, 2], [1, 2]], weight [0.5, 2.0, 1.0], ignore_index 1, label_smoothing 0.3",
            {
                "self": engine.random("float32", 2, 3, 2),
                "target": engine.tensor([[0, 2], [1, 2]]),
                "weight": engine.tensor([0.5, 2.0, 1.0]),
                "ignore_index": engine.fixed(1),
                "label_smoothing": engine.fixed(0.3),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 2], target float32[2, 3, 2], weight [0.5, 2.0, 1.0], label_smoothing 0.3",
            {
                "self": engine.random("float32", 2, 3, 2),
                "target": engine.random("float32", 2, 3, 2),
                "weight": engine.tensor([0.5, 2.0, 1.0]),
                "label_smoothing": engine.fixed(0.3),
            },
        ),
        engine.Sample(
            "self float32[3], target 2, reduction 0",
            {
                "self": engine.random("float32", 3),
                "target": engine.tensor(2),
                "reduction": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
