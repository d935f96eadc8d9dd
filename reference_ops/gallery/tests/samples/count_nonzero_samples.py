"""What the tests feed to aten::count_nonzero: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._count_nonzero import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.count_nonzero,
    module=gallery.CountNonzero,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[]",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
            },
        ),
    ],
    refusals=[
    ],
)
