"""What the tests feed to aten::index_select: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._index_select import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.index_select,
    module=gallery.IndexSelect,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim 0, index [0, 2]",
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed(0),
                "index": engine.tensor([0, 2]),
            },
        ),
    ],
    refusals=[
    ],
)
