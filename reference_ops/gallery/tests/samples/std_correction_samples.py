"""What the tests feed to aten::std: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._std_correction import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.std_correction,
    module=gallery.StdCorrection,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4, 5], dim [1], correction 1",
            {
                "self": engine.random("float32", 3, 4, 5, larger=(4, 4, 5)),
                "dim": engine.fixed([1]),
                "correction": engine.fixed(1),
            },
        ),
        engine.Sample(
            "self float32[3, 4], correction 0, keepdim True",
            {
                "self": engine.random("float32", 3, 4),
                "correction": engine.fixed(0),
                "keepdim": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
