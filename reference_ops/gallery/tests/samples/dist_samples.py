"""What the tests feed to aten::dist: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._dist import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.dist,
    module=gallery.Dist,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5, 5], other float32[5, 5, 5], p 2",
            {
                "self": engine.random("float32", 5, 5, 5),
                "other": engine.random("float32", 5, 5, 5),
                "p": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
