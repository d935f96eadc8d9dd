"""What the tests feed to aten::_safe_softmax: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._safe_softmax import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.safe_softmax,
    module=gallery.SafeSoftmax,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim 1",
            {
                "self": engine.random("float32", 3, 4),
                "dim": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
