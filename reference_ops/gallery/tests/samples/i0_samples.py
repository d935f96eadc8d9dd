"""What the tests feed to aten::i0: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._i0 import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.i0,
    module=gallery.I0,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
    ],
    refusals=[
    ],
)
