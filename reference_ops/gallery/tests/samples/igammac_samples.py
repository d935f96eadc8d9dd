"""What the tests feed to aten::igammac: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._igammac import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.igammac,
    module=gallery.Igammac,
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
        engine.Sample(
            "self float32[4, 5], other float32[4, 5] (2)",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=20.0, high=500.0),
                "other": engine.random("float32", 4, 5, larger=(5, 5), low=20.0, high=500.0),
            },
        ),
        engine.Sample(
            'self [0.0, 0.0, 1.0, float("inf"), 2.0, float("nan"), -1.0, 1e30], other [0.0, 2.0, 0.0, 1.0, float("inf"), 1.0, 1.0, 5.0]',
            {
                "self": engine.tensor([0.0, 0.0, 1.0, float("inf"), 2.0, float("nan"), -1.0, 1e30]),
                "other": engine.tensor([0.0, 2.0, 0.0, 1.0, float("inf"), 1.0, 1.0, 5.0]),
            },
        ),
    ],
    refusals=[
    ],
)
