"""What the tests feed to aten::msort: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._msort import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.msort,
    module=gallery.Msort,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[8000]",
            {
                "self": engine.random("float32", 8000, low=0.0, high=7999.0),
            },
        ),
    ],
    refusals=[
    ],
)
