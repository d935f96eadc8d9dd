"""What the tests feed to aten::diff: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._diff import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.diff,
    module=gallery.Diff,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1], n 0, dim 0",
            {
                "self": engine.random("float32", 1, low=-8.478, high=-8.478),
                "n": engine.fixed(0),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
