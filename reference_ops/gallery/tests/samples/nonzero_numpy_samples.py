"""What the tests feed to aten::nonzero_numpy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nonzero_numpy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nonzero_numpy,
    module=gallery.NonzeroNumpy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self 2.0",
            {
                "self": engine.tensor(2.0),
            },
        ),
        engine.Sample(
            "self [[1.0, 0.0, -2.0], [0.0, 0.0, 3.0]]",
            {
                "self": engine.tensor([[1.0, 0.0, -2.0], [0.0, 0.0, 3.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
