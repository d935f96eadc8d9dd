"""What the tests feed to aten::any: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._any import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.any,
    module=gallery.AnyOp,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self bool[3, 4]",
            {
                "self": engine.random("bool", 3, 4, larger=(4, 4)),
            },
        ),
        engine.Sample(
            'self [[0.0, float("nan"), 1.0], [0.0, 1.0, 1.0]]',
            {
                "self": engine.tensor([[0.0, float("nan"), 1.0], [0.0, 1.0, 1.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
