"""What the tests feed to aten::permute_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._permute_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.permute_copy,
    module=gallery.PermuteCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1, 2, 3, 4], dims [0, 2, 3, 1]",
            {
                "self": engine.random("float32", 1, 2, 3, 4),
                "dims": engine.fixed([0, 2, 3, 1]),
            },
        ),
    ],
    refusals=[
    ],
)
