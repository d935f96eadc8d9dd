"""What the tests feed to aten::addcdiv: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._addcdiv import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.addcdiv,
    module=gallery.Addcdiv,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5], tensor1 float32[5, 5], tensor2 float32[5, 5]",
            {
                "self": engine.random("float32", 5, 5),
                "tensor1": engine.random("float32", 5, 5),
                "tensor2": engine.random("float32", 5, 5),
            },
        ),
    ],
    refusals=[
    ],
)
