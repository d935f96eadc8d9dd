"""What the tests feed to aten::isneginf: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._isneginf import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.isneginf,
    module=gallery.Isneginf,
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
