"""What the tests feed to aten::masked_select: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._masked_select import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.masked_select,
    module=gallery.MaskedSelect,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], mask bool[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "mask": engine.random("bool", 4, 5, larger=(5, 5)),
            },
        ),
    ],
    refusals=[
    ],
)
