"""What the tests feed to aten::dstack: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._dstack import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.dstack,
    module=gallery.Dstack,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "tensors [float32[3, 2], float32[3, 2, 2]]",
            {
                "tensors": engine.many(engine.random("float32", 3, 2, larger=(4, 2)), engine.random("float32", 3, 2, 2, larger=(4, 2, 2))),
            },
        ),
    ],
    refusals=[
    ],
)
