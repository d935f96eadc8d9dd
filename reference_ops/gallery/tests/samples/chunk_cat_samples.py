"""What the tests feed to aten::_chunk_cat: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._chunk_cat import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.chunk_cat,
    module=gallery.ChunkCat,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "tensors [float32[3, 4], float32[2, 4]], dim 0, num_chunks 2",
            {
                "tensors": engine.many(engine.random("float32", 3, 4, larger=(4, 4)), engine.random("float32", 2, 4, larger=(3, 4))),
                "dim": engine.fixed(0),
                "num_chunks": engine.fixed(2),
            },
        ),
        engine.Sample(
            "tensors [float32[2, 3, 3], float32[2, 3, 1, 2]], dim 1, num_chunks 2",
            {
                "tensors": engine.many(engine.random("float32", 2, 3, 3, larger=(2, 4, 3)), engine.random("float32", 2, 3, 1, 2, larger=(2, 4, 1, 2))),
                "dim": engine.fixed(1),
                "num_chunks": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
