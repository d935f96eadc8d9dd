"""What the tests feed to gallery::geqrf: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._geqrf import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.geqrf,
    module=gallery.Geqrf,
    kind="composed",
    autograd_function=gallery.GeqrfFunction,
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 4, 3]",
            {
                "self": engine.random("float32", 2, 4, 3, larger=(3, 5, 3)),
            },
        ),
        engine.Sample(
            "self float32[3, 4]",
            {
                "self": engine.random("float32", 3, 4, larger=(3, 5)),
            },
        ),
    ],
    refusals=[
    ],
)
