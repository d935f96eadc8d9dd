"""What the tests feed to aten::linalg_multi_dot: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_multi_dot import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_multi_dot,
    module=gallery.LinalgMultiDot,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "tensors [float32[3, 2], float32[2, 4], float32[4, 5]]",
            {
                "tensors": engine.many(engine.random("float32", 3, 2, larger=(4, 2)), engine.random("float32", 2, 4), engine.random("float32", 4, 5, larger=(4, 6))),
            },
        ),
        engine.Sample(
            "tensors [float32[2], float32[2, 4], float32[4]]",
            {
                "tensors": engine.many(engine.random("float32", 2), engine.random("float32", 2, 4), engine.random("float32", 4)),
            },
        ),
    ],
    refusals=[
    ],
)
