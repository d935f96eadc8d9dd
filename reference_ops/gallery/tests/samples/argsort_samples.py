"""What the tests feed to aten::argsort: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._argsort import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.argsort,
    module=gallery.Argsort,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], descending True",
            {
                "self": engine.random("float32", 4, 5),
                "descending": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
