"""What the tests feed to aten::sgn: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._sgn import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.sgn,
    module=gallery.Sgn,
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
