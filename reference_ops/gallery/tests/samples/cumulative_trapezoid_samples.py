"""What the tests feed to aten::cumulative_trapezoid: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cumulative_trapezoid import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cumulative_trapezoid,
    module=gallery.CumulativeTrapezoid,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "y float32[2, 3], x float32[2, 3]",
            {
                "y": engine.random("float32", 2, 3),
                "x": engine.random("float32", 2, 3),
            },
        ),
    ],
    refusals=[
    ],
)
