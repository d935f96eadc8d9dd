"""What the tests feed to aten::diagonal_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._diagonal_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.diagonal_copy,
    module=gallery.DiagonalCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5]",
            {
                "self": engine.random("float32", 5, 5),
            },
        ),
    ],
    refusals=[
    ],
)
