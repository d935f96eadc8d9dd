"""What the tests feed to aten::addmv: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._addmv import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.addmv,
    module=gallery.Addmv,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5], mat float32[5, 10], vec float32[10], beta 1, alpha 1",
            {
                "self": engine.random("float32", 5, low=-8.478, high=-1.766),
                "mat": engine.random("float32", 5, 10),
                "vec": engine.random("float32", 10),
                "beta": engine.fixed(1),
                "alpha": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
