"""What the tests feed to aten::dsplit: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._dsplit import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.dsplit,
    module=gallery.Dsplit,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5, 5], indices [1, 2, 3]",
            {
                "self": engine.random("float32", 5, 5, 5),
                "indices": engine.fixed([1, 2, 3]),
            },
        ),
    ],
    refusals=[
    ],
)
