"""What the tests feed to aten::select_scatter: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._select_scatter import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.select_scatter,
    module=gallery.SelectScatter,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5, 5], src float32[5, 5], dim 1, index 2",
            {
                "self": engine.random("float32", 5, 5, 5),
                "src": engine.random("float32", 5, 5),
                "dim": engine.fixed(1),
                "index": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
