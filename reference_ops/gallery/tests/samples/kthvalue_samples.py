"""What the tests feed to aten::kthvalue: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._kthvalue import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.kthvalue,
    module=gallery.Kthvalue,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], k 2",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "k": engine.fixed(2),
            },
        ),
        engine.Sample(
            "self float32[4, 5], k 3, dim 0, keepdim True",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "k": engine.fixed(3),
                "dim": engine.fixed(0),
                "keepdim": engine.fixed(True),
            },
        ),
        engine.Sample(
            'self [[float("nan"), 2.0, float("inf")], [float("nan"), float("nan"), 1.0]], k 2',
            {
                "self": engine.tensor([[float("nan"), 2.0, float("inf")], [float("nan"), float("nan"), 1.0]]),
                "k": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
