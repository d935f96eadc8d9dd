"""What the tests feed to aten::cosine_similarity: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cosine_similarity import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cosine_similarity,
    module=gallery.CosineSimilarity,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "x1 float32[3, 4], x2 float32[3, 4]",
            {
                "x1": engine.random("float32", 3, 4),
                "x2": engine.random("float32", 3, 4),
            },
        ),
    ],
    refusals=[
    ],
)
