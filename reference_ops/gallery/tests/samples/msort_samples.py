"""What the tests feed to aten::msort: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._msort import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.msort,
    module=gallery.Msort,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
        engine.Sample(
            'self [[float("nan"), 2.0], [1.0, float("inf")], [3.0, float("-inf")]]',
            {
                "self": engine.tensor([[float("nan"), 2.0], [1.0, float("inf")], [3.0, float("-inf")]]),
            },
        ),
    ],
    refusals=[
    ],
)
