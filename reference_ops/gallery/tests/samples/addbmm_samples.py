"""What the tests feed to aten::addbmm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._addbmm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.addbmm,
    module=gallery.Addbmm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], batch1 float32[2, 4, 3], batch2 float32[2, 3, 5], beta 0.5, alpha 2.0",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "batch1": engine.random("float32", 2, 4, 3, larger=(3, 5, 3)),
                "batch2": engine.random("float32", 2, 3, 5, larger=(3, 3, 5)),
                "beta": engine.fixed(0.5),
                "alpha": engine.fixed(2.0),
            },
        ),
        engine.Sample(
            'self [[float("nan"), float("inf")]], batch1 float32[2, 1, 3], batch2 float32[2, 3, 2], beta 0',
            {
                "self": engine.tensor([[float("nan"), float("inf")]]),
                "batch1": engine.random("float32", 2, 1, 3),
                "batch2": engine.random("float32", 2, 3, 2),
                "beta": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
