"""What the tests feed to aten::baddbmm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._baddbmm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.baddbmm,
    module=gallery.Baddbmm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 4], batch1 float32[2, 3, 5], batch2 float32[2, 5, 4], beta 0.5, alpha 2.0",
            {
                "self": engine.random("float32", 2, 3, 4, larger=(3, 3, 4)),
                "batch1": engine.random("float32", 2, 3, 5, larger=(3, 3, 5)),
                "batch2": engine.random("float32", 2, 5, 4, larger=(3, 5, 4)),
                "beta": engine.fixed(0.5),
                "alpha": engine.fixed(2.0),
            },
        ),
        engine.Sample(
            "self float32[4], batch1 float32[2, 3, 5], batch2 float32[2, 5, 4], beta 0",
            {
                "self": engine.random("float32", 4),
                "batch1": engine.random("float32", 2, 3, 5),
                "batch2": engine.random("float32", 2, 5, 4),
                "beta": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
