"""What the tests feed to aten::softplus: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._softplus import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.softplus,
    module=gallery.Softplus,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4]",
            {
                "self": engine.random("float32", 3, 4),
            },
        ),
    ],
    refusals=[
    ],
)
