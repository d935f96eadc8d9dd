"""What the tests feed to aten::unfold: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._unfold import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.unfold,
    module=gallery.Unfold,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dimension 1, size 2, step 1",
            {
                "self": engine.random("float32", 3, 4),
                "dimension": engine.fixed(1),
                "size": engine.fixed(2),
                "step": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
