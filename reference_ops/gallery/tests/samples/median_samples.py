"""What the tests feed to aten::median: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._median import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.median,
    module=gallery.Median,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
    ],
    refusals=[
    ],
)
