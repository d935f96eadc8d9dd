"""What the tests feed to aten::block_diag: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._block_diag import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.block_diag,
    module=gallery.BlockDiag,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "tensors [float32[2, 3], float32[1, 2]]",
            {
                "tensors": engine.many(engine.random("float32", 2, 3), engine.random("float32", 1, 2)),
            },
        ),
    ],
    refusals=[
    ],
)
