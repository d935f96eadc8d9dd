"""What the tests feed to aten::transpose_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._transpose_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.transpose_copy,
    module=gallery.TransposeCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1, 2, 3], dim0 -1, dim1 -2",
            {
                "self": engine.random("float32", 1, 2, 3),
                "dim0": engine.fixed(-1),
                "dim1": engine.fixed(-2),
            },
        ),
    ],
    refusals=[
    ],
)
