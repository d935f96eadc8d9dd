"""What the tests feed to aten::log10: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._log10 import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.log10,
    module=gallery.Log10,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, low=0.1, high=9.0),
            },
        ),
    ],
    refusals=[
    ],
)
