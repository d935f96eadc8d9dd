"""What the tests feed to aten::greater: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._greater import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.greater,
    module=gallery.Greater,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], other float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "other": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
        engine.Sample(
            "self [7, -3, 0], other [2, -3, 1]",
            {
                "self": engine.tensor([7, -3, 0]),
                "other": engine.tensor([2, -3, 1]),
            },
        ),
    ],
    refusals=[
    ],
)
