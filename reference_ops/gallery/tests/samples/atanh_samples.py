"""What the tests feed to aten::atanh: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._atanh import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.atanh,
    module=gallery.Atanh,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[20, 20]",
            {
                "self": engine.random("float32", 20, 20, low=-0.999, high=0.996),
            },
        ),
    ],
    refusals=[
    ],
)
