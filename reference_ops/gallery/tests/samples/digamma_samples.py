"""What the tests feed to aten::digamma: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._digamma import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.digamma,
    module=gallery.Digamma,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=0.05, high=9.0),
            },
        ),
        engine.Sample(
            "self float32[4, 5] (2)",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
        engine.Sample(
            'self [float("inf"), float("-inf"), float("nan"), 0.0, -0.0, -3.0]',
            {
                "self": engine.tensor([float("inf"), float("-inf"), float("nan"), 0.0, -0.0, -3.0]),
            },
        ),
    ],
    refusals=[
    ],
)
