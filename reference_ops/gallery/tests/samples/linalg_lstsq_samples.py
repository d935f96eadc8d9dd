"""What the tests feed to gallery::linalg_lstsq: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_lstsq import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_lstsq,
    module=gallery.LinalgLstsq,
    kind="composed",
    autograd_function=gallery.LinalgLstsqFunction,
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'self float32[4, 3], b float32[4, 2], driver "gelsd"',
            {
                "self": engine.random("float32", 4, 3, larger=(5, 3)),
                "b": engine.random("float32", 4, 2, larger=(5, 3)),
                "driver": engine.fixed("gelsd"),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 4], b float32[2, 3]",
            {
                "self": engine.random("float32", 2, 3, 4, larger=(3, 3, 4)),
                "b": engine.random("float32", 2, 3, larger=(3, 3)),
            },
        ),
    ],
    refusals=[
    ],
)
