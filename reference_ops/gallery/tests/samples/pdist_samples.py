"""What the tests feed to aten::pdist: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._pdist import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.pdist,
    module=gallery.Pdist,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 3]",
            {
                "self": engine.random("float32", 4, 3, larger=(5, 3)),
            },
        ),
        engine.Sample(
            'self float32[4, 3], p float("inf")',
            {
                "self": engine.random("float32", 4, 3, larger=(5, 3)),
                "p": engine.fixed(float("inf")),
            },
        ),
    ],
    refusals=[
    ],
)
