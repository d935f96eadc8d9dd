"""What the tests feed to aten::ravel: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._ravel import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.ravel,
    module=gallery.Ravel,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5, 5]",
            {
                "self": engine.random("float32", 5, 5, 5),
            },
        ),
    ],
    refusals=[
    ],
)
