"""What the tests feed to aten::squeeze_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._squeeze_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.squeeze_copy,
    module=gallery.SqueezeCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 1, 5, 1]",
            {
                "self": engine.random("float32", 5, 1, 5, 1),
            },
        ),
    ],
    refusals=[
    ],
)
