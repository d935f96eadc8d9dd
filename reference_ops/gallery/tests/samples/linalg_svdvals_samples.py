"""What the tests feed to aten::linalg_svdvals: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_svdvals import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_svdvals,
    module=gallery.LinalgSvdvals,
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
