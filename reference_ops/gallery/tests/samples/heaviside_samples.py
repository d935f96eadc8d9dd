"""What the tests feed to aten::heaviside: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._heaviside import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.heaviside,
    module=gallery.Heaviside,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], values float32[]",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
                "values": engine.random("float32", low=-1.766, high=-1.766),
            },
        ),
    ],
    refusals=[
    ],
)
