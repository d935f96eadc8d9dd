"""What the tests feed to aten::ormqr: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._ormqr import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.ormqr,
    module=gallery.Ormqr,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 4, 3], input2 float32[2, 3], input3 float32[2, 4, 5]",
            {
                "self": engine.random("float32", 2, 4, 3, larger=(3, 5, 3)),
                "input2": engine.random("float32", 2, 3, larger=(3, 3)),
                "input3": engine.random("float32", 2, 4, 5, larger=(3, 5, 5)),
            },
        ),
        engine.Sample(
            "self float32[4, 3], input2 float32[3], input3 float32[5, 4], left False, transpose True",
            {
                "self": engine.random("float32", 4, 3),
                "input2": engine.random("float32", 3),
                "input3": engine.random("float32", 5, 4),
                "left": engine.fixed(False),
                "transpose": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
