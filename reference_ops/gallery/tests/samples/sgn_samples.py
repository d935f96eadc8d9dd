"""What the tests feed to aten::sgn: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._sgn import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.sgn,
    module=gallery.Sgn,
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
