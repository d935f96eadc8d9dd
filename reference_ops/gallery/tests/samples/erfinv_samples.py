"""What the tests feed to aten::erfinv: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._erfinv import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.erfinv,
    module=gallery.Erfinv,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=-0.99, high=0.99),
            },
        ),
    ],
    refusals=[
    ],
)
