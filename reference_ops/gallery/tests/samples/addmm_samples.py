"""What the tests feed to aten::addmm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._addmm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.addmm,
    module=gallery.Addmm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], mat1 float32[3, 5], mat2 float32[5, 4], beta 0.5, alpha 2.0",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "mat1": engine.random("float32", 3, 5, larger=(4, 5)),
                "mat2": engine.random("float32", 5, 4),
                "beta": engine.fixed(0.5),
                "alpha": engine.fixed(2.0),
            },
        ),
        engine.Sample(
            "self float32[4], mat1 float32[3, 5], mat2 float32[5, 4], beta 0",
            {
                "self": engine.random("float32", 4),
                "mat1": engine.random("float32", 3, 5),
                "mat2": engine.random("float32", 5, 4),
                "beta": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
