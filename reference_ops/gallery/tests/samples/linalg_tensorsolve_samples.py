"""What the tests feed to aten::linalg_tensorsolve: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_tensorsolve import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_tensorsolve,
    module=gallery.LinalgTensorsolve,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 6], other float32[2, 3]",
            {
                "self": engine.random("float32", 2, 3, 6),
                "other": engine.random("float32", 2, 3),
            },
        ),
    ],
    refusals=[
    ],
)
