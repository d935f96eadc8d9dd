"""What the tests feed to aten::linalg_matrix_power: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_matrix_power import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_matrix_power,
    module=gallery.LinalgMatrixPower,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1, 1], n 0",
            {
                "self": engine.random("float32", 1, 1, low=-8.478, high=-8.478),
                "n": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
