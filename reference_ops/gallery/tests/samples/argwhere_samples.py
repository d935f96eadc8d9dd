"""What the tests feed to aten::argwhere: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._argwhere import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.argwhere,
    module=gallery.Argwhere,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 3]",
            {
                "self": engine.random("float32", 4, 3, larger=(5, 3), low=0.0, high=2.0),
            },
        ),
        engine.Sample(
            "self 2.0",
            {
                "self": engine.tensor(2.0),
            },
        ),
    ],
    refusals=[
    ],
)
