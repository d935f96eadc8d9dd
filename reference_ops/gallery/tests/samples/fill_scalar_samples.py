"""What the tests feed to aten::fill: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._fill_scalar import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.fill_scalar,
    module=gallery.FillScalar,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], value 2",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "value": engine.fixed(2),
            },
        ),
        engine.Sample(
            "self [True, False], value True",
            {
                "self": engine.tensor([True, False]),
                "value": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
