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
            "self float32[4, 5], tensor1 float32[4, 5], tensor2 float32[4, 5], value 0.5",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "tensor1": engine.random("float32", 4, 5, larger=(5, 5)),
                "tensor2": engine.random("float32", 4, 5, larger=(5, 5)),
                "value": engine.fixed(0.5),
            },
        ),
        engine.Sample(
            "self [1.0, 2.0], tensor1 [1e30, 1.0], tensor2 [1e-30, 0.0], value 1e-20",
            {
                "self": engine.tensor([1.0, 2.0]),
                "tensor1": engine.tensor([1e30, 1.0]),
                "tensor2": engine.tensor([1e-30, 0.0]),
                "value": engine.fixed(1e-20),
            },
        ),
    ],
    refusals=[
    ],
)
