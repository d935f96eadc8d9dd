"""What the tests feed to aten::isclose: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._isclose import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.isclose,
    module=gallery.Isclose,
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
                "other": engine.random("float32", low=-1.766, high=-1.766),
            },
        ),
    ],
    refusals=[
    ],
)
