"""What the tests feed to aten::unique_consecutive: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._unique_consecutive import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.unique_consecutive,
    module=gallery.UniqueConsecutive,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [1.0, 1.0, 2.0, 2.0, 2.0, 1.0], return_inverse True, return_counts True",
            {
                "self": engine.tensor([1.0, 1.0, 2.0, 2.0, 2.0, 1.0]),
                "return_inverse": engine.fixed(True),
                "return_counts": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self [[1.0, 2.0], [1.0, 2.0], [3.0, 2.0]], dim 0",
            {
                "self": engine.tensor([[1.0, 2.0], [1.0, 2.0], [3.0, 2.0]]),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
