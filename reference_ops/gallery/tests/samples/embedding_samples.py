"""What the tests feed to aten::embedding: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._embedding import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.embedding,
    module=gallery.Embedding,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "weight float32[5, 3], indices int64[2, 2], padding_idx 2",
            {
                "weight": engine.random("float32", 5, 3, larger=(6, 3)),
                "indices": engine.random("int64", 2, 2, larger=(3, 2), low=0, high=4),
                "padding_idx": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
