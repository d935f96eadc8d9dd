"""What the tests feed to gallery::corrcoef: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._corrcoef import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.corrcoef,
    module=gallery.Corrcoef,
    kind="composed",
    autograd_function=gallery.CorrcoefFunction,
    differentiable=[
        "self",
    ],
    twice_differentiable=[
        "self",
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 6)),
            },
        ),
    ],
    refusals=[
    ],
)
