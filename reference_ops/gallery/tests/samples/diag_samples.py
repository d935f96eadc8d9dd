"""What the tests feed to aten::diag: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._diag import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.diag,
    module=gallery.Diag,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4], diagonal -2",
            {
                "self": engine.random("float32", 4, larger=(5,)),
                "diagonal": engine.fixed(-2),
            },
        ),
        engine.Sample(
            'self [float("inf"), float("nan"), float("-inf")], diagonal 1',
            {
                "self": engine.tensor([float("inf"), float("nan"), float("-inf")]),
                "diagonal": engine.fixed(1),
            },
        ),
        engine.Sample(
            "self float32[4, 6], diagonal 1",
            {
                "self": engine.random("float32", 4, 6, larger=(5, 7)),
                "diagonal": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
