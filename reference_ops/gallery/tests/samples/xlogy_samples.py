"""What the tests feed to aten::xlogy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._xlogy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.xlogy,
    module=gallery.Xlogy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], other float32[]",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
                "other": engine.random("float32", low=3.623, high=3.623),
            },
        ),
    ],
    refusals=[
    ],
)
