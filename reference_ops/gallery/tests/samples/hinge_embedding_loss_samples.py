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
            "self float32[5], target float32[5], reduction 0, margin 8.396163642458497",
            {
                "self": engine.random("float32", 5, low=-8.478, high=-1.766),
                "target": engine.random("float32", 5, low=-1.0, high=1.0),
                "reduction": engine.fixed(0),
                "margin": engine.fixed(8.396163642458497),
            },
        ),
    ],
    refusals=[
    ],
)
