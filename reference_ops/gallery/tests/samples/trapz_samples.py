"""What the tests feed to aten::trapz: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._trapz import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.trapz,
    module=gallery.Trapz,
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
