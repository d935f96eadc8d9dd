"""What the tests feed to aten::log_softmax: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._log_softmax import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.log_softmax,
    module=gallery.LogSoftmax,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim 1",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "dim": engine.fixed(1),
            },
        ),
        engine.Sample(
            "self 2.5, dim -1",
            {
                "self": engine.tensor(2.5),
                "dim": engine.fixed(-1),
            },
        ),
    ],
    refusals=[
    ],
)
