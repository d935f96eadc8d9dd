"""What the tests feed to aten::gather: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._gather import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.gather,
    module=gallery.Gather,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim 1, index [[0, 3, 1], [2, 2, 0], [1, 0, 3]]",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "dim": engine.fixed(1),
                "index": engine.tensor([[0, 3, 1], [2, 2, 0], [1, 0, 3]]),
            },
        ),
        engine.Sample(
            "self 2.5, dim 0, index [0]",
            {
                "self": engine.tensor(2.5),
                "dim": engine.fixed(0),
                "index": engine.tensor([0]),
            },
        ),
    ],
    refusals=[
    ],
)
