"""What the tests feed to aten::diagonal: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._diagonal import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.diagonal,
    module=gallery.Diagonal,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 6)),
            },
        ),
        engine.Sample(
            'self [[float("inf"), float("nan"), 2.0], [float("nan"), float("-inf"), 1.0]], offset 1',
            {
                "self": engine.tensor([[float("inf"), float("nan"), 2.0], [float("nan"), float("-inf"), 1.0]]),
                "offset": engine.fixed(1),
            },
        ),
        engine.Sample(
            "self float32[3, 2, 4], offset -1, dim1 2, dim2 0",
            {
                "self": engine.random("float32", 3, 2, 4, larger=(3, 3, 4)),
                "offset": engine.fixed(-1),
                "dim1": engine.fixed(2),
                "dim2": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
