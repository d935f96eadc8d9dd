"""What the tests feed to aten::igamma: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._igamma import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.igamma,
    module=gallery.Igamma,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], other float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=0.1, high=9.0),
                "other": engine.random("float32", 4, 5, larger=(5, 5), low=0.1, high=20.0),
            },
        ),
    ],
    refusals=[
    ],
)
