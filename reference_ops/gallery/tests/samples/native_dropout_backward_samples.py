"""What the tests feed to aten::native_dropout_backward: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._native_dropout_backward import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.native_dropout_backward,
    module=gallery.NativeDropoutBackward,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "grad_output float32[5, 5, 5, 5], mask bool[5, 5, 5, 5], scale 0.0",
            {
                "grad_output": engine.random("float32", 5, 5, 5, 5),
                "mask": engine.random("bool", 5, 5, 5, 5),
                "scale": engine.fixed(0.0),
            },
        ),
    ],
    refusals=[
    ],
)
