"""What the tests feed to aten::linalg_pinv: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_pinv import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_pinv,
    module=gallery.LinalgPinv,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 3]",
            {
                "self": engine.random("float32", 4, 3),
            },
        ),
    ],
    refusals=[
    ],
)
