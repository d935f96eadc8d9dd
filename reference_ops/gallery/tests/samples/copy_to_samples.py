"""What the tests feed to aten::copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._copy_to import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.copy_to,
    module=gallery.CopyTo,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], src float32[4]",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "src": engine.random("float32", 4),
            },
        ),
        engine.Sample(
            "self float32[2, 3], src [[1, 2, 3], [4, 5, 6]]",
            {
                "self": engine.random("float32", 2, 3),
                "src": engine.tensor([[1, 2, 3], [4, 5, 6]]),
            },
        ),
    ],
    refusals=[
    ],
)
