"""What the tests feed to aten::linalg_diagonal: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_diagonal import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_diagonal,
    module=gallery.LinalgDiagonal,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A float32[5, 5]",
            {
                "A": engine.random("float32", 5, 5),
            },
        ),
    ],
    refusals=[
    ],
)
