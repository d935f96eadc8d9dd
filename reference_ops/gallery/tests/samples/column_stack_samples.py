"""What the tests feed to aten::column_stack: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._column_stack import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.column_stack,
    module=gallery.ColumnStack,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "tensors [float32[3], float32[3, 2]]",
            {
                "tensors": engine.many(engine.random("float32", 3, larger=(4,)), engine.random("float32", 3, 2, larger=(4, 2))),
            },
        ),
    ],
    refusals=[
    ],
)
