"""What the tests feed to aten::unfold_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._unfold_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.unfold_copy,
    module=gallery.UnfoldCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], dimension 0, size 1, step 1",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
                "dimension": engine.fixed(0),
                "size": engine.fixed(1),
                "step": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
