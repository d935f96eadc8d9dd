"""What the tests feed to aten::diag: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._diag import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.diag,
    module=gallery.Diag,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[10]",
            {
                "self": engine.random("float32", 10),
            },
        ),
    ],
    refusals=[
    ],
)
