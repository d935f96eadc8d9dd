"""What the tests feed to gallery::cov: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cov import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cov,
    module=gallery.Cov,
    kind="composed",
    autograd_function=gallery.CovFunction,
    differentiable=[
        "self",
        "fweights",
        "aweights",
    ],
    twice_differentiable=[
        "self",
        "fweights",
        "aweights",
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 6)),
            },
        ),
        engine.Sample(
            "self float32[7], correction 0",
            {
                "self": engine.random("float32", 7),
                "correction": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
