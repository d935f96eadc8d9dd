"""What the tests feed to aten::vdot: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._vdot import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.vdot,
    module=gallery.Vdot,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5], other float32[5]",
            {
                "self": engine.random("float32", 5, low=-8.478, high=-1.766),
                "other": engine.random("float32", 5),
            },
        ),
    ],
    refusals=[
    ],
)
