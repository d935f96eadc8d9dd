"""What the tests feed to aten::alpha_dropout: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._alpha_dropout import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.alpha_dropout,
    module=gallery.AlphaDropout,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 3, 4], p 0.0, train True",
            {
                "input": engine.random("float32", 2, 3, 4, larger=(3, 3, 4)),
                "p": engine.fixed(0.0),
                "train": engine.fixed(True),
            },
        ),
        engine.Sample(
            "input float32[2, 3, 4], p 1.0, train True",
            {
                "input": engine.random("float32", 2, 3, 4),
                "p": engine.fixed(1.0),
                "train": engine.fixed(True),
            },
        ),
        engine.Sample(
            "input float32[2, 3, 4], p 0.5, train False",
            {
                "input": engine.random("float32", 2, 3, 4),
                "p": engine.fixed(0.5),
                "train": engine.fixed(False),
            },
        ),
    ],
    refusals=[
    ],
)
