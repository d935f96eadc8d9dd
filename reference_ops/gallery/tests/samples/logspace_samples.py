"""What the tests feed to aten::logspace: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._logspace import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.logspace,
    module=gallery.Logspace,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "start 1.0, end 2.0, steps 3",
            {
                "start": engine.tensor(1.0),
                "end": engine.tensor(2.0),
                "steps": engine.fixed(3),
            },
        ),
    ],
    refusals=[
    ],
)
