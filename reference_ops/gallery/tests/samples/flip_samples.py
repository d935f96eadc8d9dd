"""What the tests feed to aten::flip: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._flip import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.flip,
    module=gallery.Flip,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dims [0, -1]",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "dims": engine.fixed([0, -1]),
            },
        ),
        engine.Sample(
            "self float32[3, 4], dims []",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "dims": engine.fixed([]),
            },
        ),
    ],
    refusals=[
    ],
)
