"""What the tests feed to aten::take: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._take import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.take,
    module=gallery.Take,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], index [[0, 11], [-1, 5]]",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "index": engine.tensor([[0, 11], [-1, 5]]),
            },
        ),
        engine.Sample(
            "self 2.5, index 0",
            {
                "self": engine.tensor(2.5),
                "index": engine.tensor(0),
            },
        ),
    ],
    refusals=[
    ],
)
