"""What the tests feed to aten::linalg_svd: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_svd import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_svd,
    module=gallery.LinalgSvd,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A float32[4, 3]",
            {
                "A": engine.random("float32", 4, 3),
            },
        ),
    ],
    refusals=[
    ],
)
