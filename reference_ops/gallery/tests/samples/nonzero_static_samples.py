"""What the tests feed to aten::nonzero_static: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nonzero_static import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nonzero_static,
    module=gallery.NonzeroStatic,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], size 7",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "size": engine.fixed(7),
            },
        ),
        engine.Sample(
            "self float32[4, 5], size 30",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "size": engine.fixed(30),
            },
        ),
    ],
    refusals=[
    ],
)
