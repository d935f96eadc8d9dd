"""What the tests feed to aten::hinge_embedding_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._hinge_embedding_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.hinge_embedding_loss,
    module=gallery.HingeEmbeddingLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 5], target [[1.0, -1.0, 1.0, -1.0, 1.0]], margin 0.5, reduction 0",
            {
                "self": engine.random("float32", 3, 5),
                "target": engine.tensor([[1.0, -1.0, 1.0, -1.0, 1.0]]),
                "margin": engine.fixed(0.5),
                "reduction": engine.fixed(0),
            },
        ),
        engine.Sample(
            "self float32[3, 5], target [[1.0, -1.0, 1.0, -1.0, 1.0]]",
            {
                "self": engine.random("float32", 3, 5, larger=(4, 5)),
                "target": engine.tensor([[1.0, -1.0, 1.0, -1.0, 1.0]]),
            },
        ),
        engine.Sample(
            'self [float("nan"), float("inf"), float("-inf")], target [-1.0, 1.0, -1.0], reduction 2',
            {
                "self": engine.tensor([float("nan"), float("inf"), float("-inf")]),
                "target": engine.tensor([-1.0, 1.0, -1.0]),
                "reduction": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
