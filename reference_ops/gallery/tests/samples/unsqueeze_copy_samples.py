"""What the tests feed to aten::unsqueeze_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._unsqueeze_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.unsqueeze_copy,
    module=gallery.UnsqueezeCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4, 5], dim 0",
            {
                "self": engine.random("float32", 3, 4, 5),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
