"""What the tests feed to aten::cosine_embedding_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cosine_embedding_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cosine_embedding_loss,
    module=gallery.CosineEmbeddingLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input1 float32[5, 5], input2 float32[5, 5], target float32[5], reduction 0, margin 0.9329070713842775",
            {
                "input1": engine.random("float32", 5, 5),
                "input2": engine.random("float32", 5, 5),
                "target": engine.random("float32", 5, low=-1.0, high=1.0),
                "reduction": engine.fixed(0),
                "margin": engine.fixed(0.9329070713842775),
            },
        ),
    ],
    refusals=[
    ],
)
