"""What the tests feed to aten::mvlgamma: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._mvlgamma import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.mvlgamma,
    module=gallery.Mvlgamma,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], p 3",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=2.5, high=9.0),
                "p": engine.fixed(3),
            },
        ),
    ],
    refusals=[
    ],
)
