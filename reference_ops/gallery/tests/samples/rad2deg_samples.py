"""What the tests feed to aten::rad2deg: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._rad2deg import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.rad2deg,
    module=gallery.Rad2deg,
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
