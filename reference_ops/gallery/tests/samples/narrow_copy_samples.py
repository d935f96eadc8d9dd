"""What the tests feed to aten::narrow_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._narrow_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.narrow_copy,
    module=gallery.NarrowCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5, 5], dim 1, start 2, length 2",
            {
                "self": engine.random("float32", 5, 5, 5),
                "dim": engine.fixed(1),
                "start": engine.fixed(2),
                "length": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
