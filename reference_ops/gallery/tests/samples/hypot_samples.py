"""What the tests feed to aten::hypot: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._hypot import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.hypot,
    module=gallery.Hypot,
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
            'self [float("inf"), float("nan"), float("-inf"), 1e30, 0.0], other [float("nan"), 1.0, 2.0, 1e30, 0.0]',
            {
                "self": engine.tensor([float("inf"), float("nan"), float("-inf"), 1e30, 0.0]),
                "other": engine.tensor([float("nan"), 1.0, 2.0, 1e30, 0.0]),
            },
        ),
    ],
    refusals=[
    ],
)
