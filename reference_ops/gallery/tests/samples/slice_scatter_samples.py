"""What the tests feed to aten::slice_scatter: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._slice_scatter import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.slice_scatter,
    module=gallery.SliceScatter,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[20, 20, 20], src float32[20, 20, 20], dim 0, start 0, end 20, step 1",
            {
                "self": engine.random("float32", 20, 20, 20),
                "src": engine.random("float32", 20, 20, 20),
                "dim": engine.fixed(0),
                "start": engine.fixed(0),
                "end": engine.fixed(20),
                "step": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
