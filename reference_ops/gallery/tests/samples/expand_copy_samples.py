"""What the tests feed to aten::expand_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._expand_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.expand_copy,
    module=gallery.ExpandCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 1, 1], size [-1, 5, 5]",
            {
                "self": engine.random("float32", 5, 1, 1, larger=(6, 1, 1), low=-8.478, high=-1.766),
                "size": engine.fixed([-1, 5, 5]),
            },
        ),
    ],
    refusals=[
    ],
)
