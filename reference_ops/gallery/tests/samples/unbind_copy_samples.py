"""What the tests feed to aten::unbind_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._unbind_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.unbind_copy,
    module=gallery.UnbindCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5], dim 0",
            {
                "self": engine.random("float32", 5, low=-8.478, high=-1.766),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
