"""What the tests feed to aten::linalg_norm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_norm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_norm,
    module=gallery.LinalgNorm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], keepdim True",
            {
                "self": engine.random("float32", 3, 4),
                "keepdim": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
