"""What the tests feed to aten::all: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._all import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.all,
    module=gallery.All,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self bool[3, 4]",
            {
                "self": engine.random("bool", 3, 4),
            },
        ),
    ],
    refusals=[
    ],
)
