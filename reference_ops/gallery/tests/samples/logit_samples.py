"""What the tests feed to aten::logit: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._logit import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.logit,
    module=gallery.Logit,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4]",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4), low=0.1, high=0.9),
            },
        ),
        engine.Sample(
            'self [0.1, 0.3, 0.5, 0.7, 1.5, float("nan")], eps 0.2',
            {
                "self": engine.tensor([0.1, 0.3, 0.5, 0.7, 1.5, float("nan")]),
                "eps": engine.fixed(0.2),
            },
        ),
        engine.Sample(
            'self [0.1, 0.3, 0.5, 0.7, 1.5, float("nan")], eps 0.6',
            {
                "self": engine.tensor([0.1, 0.3, 0.5, 0.7, 1.5, float("nan")]),
                "eps": engine.fixed(0.6),
            },
        ),
    ],
    refusals=[
    ],
)
