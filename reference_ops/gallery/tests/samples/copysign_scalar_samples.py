"""What the tests feed to aten::copysign: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._copysign_scalar import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.copysign_scalar,
    module=gallery.CopysignScalar,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], other -2.0",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "other": engine.fixed(-2.0),
            },
        ),
        engine.Sample(
            'self [float("nan"), -0.0, float("inf"), -3.0], other 2',
            {
                "self": engine.tensor([float("nan"), -0.0, float("inf"), -3.0]),
                "other": engine.fixed(2),
            },
        ),
        engine.Sample(
            "self float32[4, 5], other -0.0",
            {
                "self": engine.random("float32", 4, 5),
                "other": engine.fixed(-0.0),
            },
        ),
    ],
    refusals=[
    ],
)
