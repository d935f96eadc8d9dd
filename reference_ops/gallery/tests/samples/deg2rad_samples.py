"""What the tests feed to aten::deg2rad: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._deg2rad import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.deg2rad,
    module=gallery.Deg2rad,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[20, 20]",
            {
                "self": engine.random("float32", 20, 20),
            },
        ),
    ],
    refusals=[
    ],
)
