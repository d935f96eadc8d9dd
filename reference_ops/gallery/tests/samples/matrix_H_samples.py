"""What the tests feed to aten::matrix_H: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._matrix_H import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.matrix_H,
    module=gallery.MatrixH,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4]",
            {
                "self": engine.random("float32", 3, 4),
            },
        ),
    ],
    refusals=[
    ],
)
