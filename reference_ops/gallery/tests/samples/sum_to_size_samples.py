"""What the tests feed to aten::sum_to_size: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._sum_to_size import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.sum_to_size,
    module=gallery.SumToSize,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[], size []",
            {
                "self": engine.random("float32", low=-8.478, high=-8.478),
                "size": engine.fixed([]),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 4], size [1, 4]",
            {
                "self": engine.random("float32", 2, 3, 4, larger=(3, 3, 5)),
                "size": engine.fixed([1, 4]),
            },
        ),
    ],
    refusals=[
    ],
)
