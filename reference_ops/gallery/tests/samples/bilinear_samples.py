"""What the tests feed to aten::bilinear: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._bilinear import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.bilinear,
    module=gallery.Bilinear,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input1 float32[3], input2 float32[4], weight float32[5, 3, 4], bias float32[5]",
            {
                "input1": engine.random("float32", 3, low=-1.884, high=-0.392),
                "input2": engine.random("float32", 4, low=-1.793, high=0.803),
                "weight": engine.random("float32", 5, 3, 4),
                "bias": engine.random("float32", 5, low=-0.837, high=-0.322),
            },
        ),
        engine.Sample(
            "input1 float32[2, 6, 3], input2 float32[2, 6, 4], weight float32[5, 3, 4]",
            {
                "input1": engine.random("float32", 2, 6, 3, larger=(3, 6, 4)),
                "input2": engine.random("float32", 2, 6, 4, larger=(3, 6, 5)),
                "weight": engine.random("float32", 5, 3, 4, larger=(6, 4, 5)),
            },
        ),
    ],
    refusals=[
    ],
)
