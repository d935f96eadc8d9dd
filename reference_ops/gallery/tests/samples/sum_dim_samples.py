"""What the tests feed to aten::sum: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._sum_dim import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.sum_dim,
    module=gallery.SumDim,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim [0]",
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed([0]),
            },
        ),
    ],
    refusals=[
    ],
)
