"""What the tests feed to aten::squeeze: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._squeeze_dim import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.squeeze_dim,
    module=gallery.SqueezeDim,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 1, 3], dim -2",
            {
                "self": engine.random("float32", 4, 1, 3, larger=(5, 1, 3)),
                "dim": engine.fixed(-2),
            },
        ),
        engine.Sample(
            "self float32[2, 1, 3], dim 2",
            {
                "self": engine.random("float32", 2, 1, 3),
                "dim": engine.fixed(2),
            },
        ),
        engine.Sample(
            "self 2.5, dim 0",
            {
                "self": engine.tensor(2.5),
                "dim": engine.fixed(0),
            },
        ),
        engine.Sample(
            "self float32[4, 1, 3], dim 0",
            {
                "self": engine.random("float32", 4, 1, 3, larger=(5, 1, 3)),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
