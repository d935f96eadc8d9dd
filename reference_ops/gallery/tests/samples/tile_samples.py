"""What the tests feed to aten::tile: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._tile import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.tile,
    module=gallery.Tile,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 2], dims [2]",
            {
                "self": engine.random("float32", 3, 2, larger=(4, 2)),
                "dims": engine.fixed([2]),
            },
        ),
        engine.Sample(
            "self float32[3], dims [0, 2]",
            {
                "self": engine.random("float32", 3),
                "dims": engine.fixed([0, 2]),
            },
        ),
        engine.Sample(
            "self 2.5, dims []",
            {
                "self": engine.tensor(2.5),
                "dims": engine.fixed([]),
            },
        ),
    ],
    refusals=[
    ],
)
