"""What the tests feed to aten::diagonal_scatter: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._diagonal_scatter import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.diagonal_scatter,
    module=gallery.DiagonalScatter,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5, 2], src float32[2, 4]",
            {
                "self": engine.random("float32", 4, 5, 2, larger=(4, 5, 3)),
                "src": engine.random("float32", 2, 4, larger=(3, 4)),
            },
        ),
        engine.Sample(
            "self float32[2, 4, 5], src float32[2, 4], offset -1, dim1 2, dim2 1",
            {
                "self": engine.random("float32", 2, 4, 5, larger=(3, 4, 5)),
                "src": engine.random("float32", 2, 4, larger=(3, 4)),
                "offset": engine.fixed(-1),
                "dim1": engine.fixed(2),
                "dim2": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
