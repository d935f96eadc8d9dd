"""What the tests feed to aten::renorm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._renorm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.renorm,
    module=gallery.Renorm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 4, 3], p 2, dim 1, maxnorm 0.5",
            {
                "self": engine.random("float32", 5, 4, 3, larger=(6, 5, 3)),
                "p": engine.fixed(2),
                "dim": engine.fixed(1),
                "maxnorm": engine.fixed(0.5),
            },
        ),
        engine.Sample(
            'self [[1.0, float("nan"), -2.0], [0.1, float("inf"), 0.2], [0.1, 0.2, 0.3]], p float("inf"), dim -2, maxnorm 0.5',
            {
                "self": engine.tensor([[1.0, float("nan"), -2.0], [0.1, float("inf"), 0.2], [0.1, 0.2, 0.3]]),
                "p": engine.fixed(float("inf")),
                "dim": engine.fixed(-2),
                "maxnorm": engine.fixed(0.5),
            },
        ),
    ],
    refusals=[
    ],
)
