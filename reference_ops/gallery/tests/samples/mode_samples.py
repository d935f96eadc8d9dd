"""What the tests feed to aten::mode: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._mode import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.mode,
    module=gallery.Mode,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[1.0, 2.0, 2.0, 3.0], [5.0, 4.0, 4.0, 5.0]]",
            {
                "self": engine.tensor([[1.0, 2.0, 2.0, 3.0], [5.0, 4.0, 4.0, 5.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
