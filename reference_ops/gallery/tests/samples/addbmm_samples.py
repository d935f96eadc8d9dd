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
            "self float32[5, 10], batch1 float32[5, 5, 5], batch2 float32[5, 5, 10], beta 1, alpha 1",
            {
                "self": engine.random("float32", 5, 10),
                "batch1": engine.random("float32", 5, 5, 5),
                "batch2": engine.random("float32", 5, 5, 10),
                "beta": engine.fixed(1),
                "alpha": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
