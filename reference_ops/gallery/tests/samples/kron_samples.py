"""What the tests feed to gallery::kron: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._kron import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.kron,
    module=gallery.Kron,
    kind="composed",
    autograd_function=gallery.KronFunction,
    differentiable=[
        "self",
        "other",
    ],
    twice_differentiable=[
        "self",
        "other",
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3], other float32[3, 2]",
            {
                "self": engine.random("float32", 2, 3, larger=(3, 3)),
                "other": engine.random("float32", 3, 2, larger=(3, 3)),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 2], other float32[4]",
            {
                "self": engine.random("float32", 2, 3, 2),
                "other": engine.random("float32", 4),
            },
        ),
    ],
    refusals=[
    ],
)
