"""What the tests feed to aten::t_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._t_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.t_copy,
    module=gallery.TCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1, 2]",
            {
                "self": engine.random("float32", 1, 2, low=-8.478, high=-1.766),
            },
        ),
    ],
    refusals=[
    ],
)
