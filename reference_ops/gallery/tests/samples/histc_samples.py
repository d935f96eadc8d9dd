"""What the tests feed to aten::histc: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._histc import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.histc,
    module=gallery.Histc,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], min 0, max 10",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
                "min": engine.fixed(0),
                "max": engine.fixed(10),
            },
        ),
    ],
    refusals=[
    ],
)
