"""What the tests feed to aten::signbit: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._signbit import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.signbit,
    module=gallery.Signbit,
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
            'self [-0.0, 0.0, float("inf"), float("-inf"), float("nan")]',
            {
                "self": engine.tensor([-0.0, 0.0, float("inf"), float("-inf"), float("nan")]),
            },
        ),
        engine.Sample(
            "self [3, -2, 0]",
            {
                "self": engine.tensor([3, -2, 0]),
            },
        ),
    ],
    refusals=[
    ],
)
