"""What the tests feed to aten::copysign: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._copysign import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.copysign,
    module=gallery.Copysign,
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
            "self float32[4, 5], other [[-0.0], [0.0], [-1.0], [2.0]]",
            {
                "self": engine.random("float32", 4, 5),
                "other": engine.tensor([[-0.0], [0.0], [-1.0], [2.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
