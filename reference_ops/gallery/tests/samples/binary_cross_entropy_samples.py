"""What the tests feed to aten::binary_cross_entropy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._binary_cross_entropy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.binary_cross_entropy,
    module=gallery.BinaryCrossEntropy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], target float32[]",
            {
                "self": engine.random("float32", low=0.263, high=0.263),
                "target": engine.random("float32", low=0.188, high=0.188),
            },
        ),
    ],
    refusals=[
    ],
)
