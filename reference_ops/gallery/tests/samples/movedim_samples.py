"""What the tests feed to aten::movedim: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._movedim import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.movedim,
    module=gallery.Movedim,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 3, 2, 1], source [0, -1, -2, -3], destination [-3, -2, -1, 0]",
            {
                "self": engine.random("float32", 4, 3, 2, 1),
                "source": engine.fixed([0, -1, -2, -3]),
                "destination": engine.fixed([-3, -2, -1, 0]),
            },
        ),
    ],
    refusals=[
    ],
)
