"""What the tests feed to aten::threshold: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._threshold import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.threshold,
    module=gallery.Threshold,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], threshold 0.1, value 2.0",
            {
                "self": engine.random("float32", 3, 4),
                "threshold": engine.fixed(0.1),
                "value": engine.fixed(2.0),
            },
        ),
    ],
    refusals=[
    ],
)
