"""What the tests feed to aten::take_along_dim: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._take_along_dim import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.take_along_dim,
    module=gallery.TakeAlongDim,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5], indices int64[5, 5], dim 0",
            {
                "self": engine.random("float32", 5, 5, larger=(6, 5)),
                "indices": engine.random("int64", 5, 5, larger=(6, 5), low=0, high=4),
                "dim": engine.fixed(0),
            },
        ),
        engine.Sample(
            "self float32[1, 5], indices int64[3, 2], dim -1",
            {
                "self": engine.random("float32", 1, 5, larger=(1, 6)),
                "indices": engine.random("int64", 3, 2, larger=(4, 2), low=0, high=4),
                "dim": engine.fixed(-1),
            },
        ),
        engine.Sample(
            "self float32[4, 5], indices int64[3, 2]",
            {
                "self": engine.random("float32", 4, 5),
                "indices": engine.random("int64", 3, 2, larger=(4, 2), low=0, high=19),
            },
        ),
    ],
    refusals=[
    ],
)
