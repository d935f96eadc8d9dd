"""What the tests feed to aten::index_fill: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._index_fill import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.index_fill,
    module=gallery.IndexFill,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim 0, index [0, 2], value 1.5",
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed(0),
                "index": engine.tensor([0, 2]),
                "value": engine.fixed(1.5),
            },
        ),
    ],
    refusals=[
    ],
)
