"""What the tests feed to aten::bincount: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._bincount import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.bincount,
    module=gallery.Bincount,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self int64[5], minlength 0",
            {
                "self": engine.random("int64", 5, low=0, high=1),
                "minlength": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
