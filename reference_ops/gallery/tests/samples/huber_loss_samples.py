"""What the tests feed to aten::huber_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._huber_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.huber_loss,
    module=gallery.HuberLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5], target float32[5], reduction 0, delta 8.698115367693557",
            {
                "self": engine.random("float32", 5, low=-8.478, high=-1.766),
                "target": engine.random("float32", 5),
                "reduction": engine.fixed(0),
                "delta": engine.fixed(8.698115367693557),
            },
        ),
    ],
    refusals=[
    ],
)
