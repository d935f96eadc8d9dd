"""What the tests feed to aten::angle: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._angle import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.angle,
    module=gallery.Angle,
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
        engine.Sample(
            'self [float("nan"), float("inf"), float("-inf"), 0.0, -0.0]',
            {
                "self": engine.tensor([float("nan"), float("inf"), float("-inf"), 0.0, -0.0]),
            },
        ),
    ],
    refusals=[
    ],
)
