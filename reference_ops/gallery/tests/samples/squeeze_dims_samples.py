"""What the tests feed to aten::squeeze: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._squeeze_dims import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.squeeze_dims,
    module=gallery.SqueezeDims,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1, 4, 1, 5, 1], dim [0, -1]",
            {
                "self": engine.random("float32", 1, 4, 1, 5, 1, larger=(1, 5, 1, 5, 1)),
                "dim": engine.fixed([0, -1]),
            },
        ),
        engine.Sample(
            "self float32[2, 1, 3], dim [0, 1]",
            {
                "self": engine.random("float32", 2, 1, 3),
                "dim": engine.fixed([0, 1]),
            },
        ),
        engine.Sample(
            "self float32[4, 1, 5], dim [0, 1, 2]",
            {
                "self": engine.random("float32", 4, 1, 5, larger=(5, 1, 6)),
                "dim": engine.fixed([0, 1, 2]),
            },
        ),
    ],
    refusals=[
    ],
)
