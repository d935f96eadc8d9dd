"""What the tests feed to aten::linalg_eigvalsh: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_eigvalsh import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_eigvalsh,
    module=gallery.LinalgEigvalsh,
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
