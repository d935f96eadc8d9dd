"""What the tests feed to aten::cartesian_prod: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cartesian_prod import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cartesian_prod,
    module=gallery.CartesianProd,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "tensors [float32[1]]",
            {
                "tensors": engine.many(engine.random("float32", 1, low=0.0, high=0.0)),
            },
        ),
    ],
    refusals=[
    ],
)
