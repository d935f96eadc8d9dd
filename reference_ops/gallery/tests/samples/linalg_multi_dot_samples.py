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
            "tensors [float32[1, 2], float32[2, 1]]",
            {
                "tensors": engine.many(engine.random("float32", 1, 2, low=-8.478, high=-1.766), engine.random("float32", 2, 1, low=-4.323, high=-2.4)),
            },
        ),
    ],
    refusals=[
    ],
)
