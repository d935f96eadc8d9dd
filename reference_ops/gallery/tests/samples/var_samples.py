"""What the tests feed to aten::var: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._var import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.var,
    module=gallery.Var,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4, 5]",
            {
                "self": engine.random("float32", 3, 4, 5, larger=(4, 4, 5)),
            },
        ),
        engine.Sample(
            "self float32[3, 4], unbiased False",
            {
                "self": engine.random("float32", 3, 4),
                "unbiased": engine.fixed(False),
            },
        ),
    ],
    refusals=[
    ],
)
