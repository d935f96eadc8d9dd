"""What the tests feed to aten::view_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._view_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.view_copy,
    module=gallery.ViewCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5, 5], size [-1, 5]",
            {
                "self": engine.random("float32", 5, 5, 5, larger=(6, 5, 5)),
                "size": engine.fixed([-1, 5]),
            },
        ),
    ],
    refusals=[
    ],
)
