"""What the tests feed to aten::index_add: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._index_add import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.index_add,
    module=gallery.IndexAdd,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim 0, index [0, 2], source float32[2, 4], alpha 2",
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed(0),
                "index": engine.tensor([0, 2]),
                "source": engine.random("float32", 2, 4),
                "alpha": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
