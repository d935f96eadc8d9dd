"""What the tests feed to aten::prelu: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._prelu import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.prelu,
    module=gallery.Prelu,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 4], weight float32[3]",
            {
                "self": engine.random("float32", 2, 3, 4, larger=(3, 3, 4)),
                "weight": engine.random("float32", 3),
            },
        ),
        engine.Sample(
            "self -2.5, weight float32[1]",
            {
                "self": engine.tensor(-2.5),
                "weight": engine.random("float32", 1),
            },
        ),
    ],
    refusals=[
    ],
)
