"""What the tests feed to aten::nansum: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nansum import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nansum,
    module=gallery.Nansum,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[]",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
            },
        ),
    ],
    refusals=[
    ],
)
