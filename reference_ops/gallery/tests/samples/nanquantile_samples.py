"""What the tests feed to aten::nanquantile: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nanquantile import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nanquantile,
    module=gallery.Nanquantile,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], q [0.0, 0.3, 1.0], dim 1",
            {
                "self": engine.random("float32", 4, 5),
                "q": engine.tensor([0.0, 0.3, 1.0]),
                "dim": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
