"""What the tests feed to aten::linalg_cond: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_cond import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_cond,
    module=gallery.LinalgCond,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 3]",
            {
                "self": engine.random("float32", 3, 3),
            },
        ),
    ],
    refusals=[
    ],
)
