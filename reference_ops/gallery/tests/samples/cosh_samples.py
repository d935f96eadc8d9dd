"""What the tests feed to aten::cosh: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cosh import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cosh,
    module=gallery.Cosh,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[20]",
            {
                "self": engine.random("float32", 20),
            },
        ),
    ],
    refusals=[
    ],
)
