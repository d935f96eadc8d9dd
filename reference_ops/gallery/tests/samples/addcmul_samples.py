"""What the tests feed to aten::addcmul: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._addcmul import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.addcmul,
    module=gallery.Addcmul,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], tensor1 float32[3, 4], tensor2 float32[3, 1], value 2",
            {
                "self": engine.random("float32", 3, 4),
                "tensor1": engine.random("float32", 3, 4),
                "tensor2": engine.random("float32", 3, 1),
                "value": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
