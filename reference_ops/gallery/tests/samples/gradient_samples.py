"""What the tests feed to aten::gradient: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._gradient import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.gradient,
    module=gallery.Gradient,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5], edge_order 1",
            {
                "self": engine.random("float32", 5, low=-8.478, high=-1.766),
                "edge_order": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
