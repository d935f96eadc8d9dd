"""What the tests feed to asinh::asinh: the [[samples]] and [[errors]] of its spec."""

import engine

import asinh
from asinh._asinh import OP

# fmt: off

CASE = engine.Case(
    package=asinh,
    operator=OP,
    function=asinh.asinh,
    module=asinh.Asinh,
    kind="elementwise",
    autograd_function=asinh.AsinhFunction,
    differentiable=[
        "self",
    ],
    twice_differentiable=[
        "self",
    ],
    samples=[
        engine.Sample(
            "self float32[1, 3, 10, 10]",
            {
                "self": engine.random("float32", 1, 3, 10, 10, larger=(1, 4, 11, 11)),
            },
        ),
        engine.Sample(
            "self float32[4, 9]",
            {
                "self": engine.random("float32", 4, 9, larger=(5, 10), low=-1000.0, high=1000.0),
            },
        ),
        engine.Sample(
            "self float64[2, 5]",
            {
                "self": engine.random("float64", 2, 5, larger=(3, 6)),
            },
        ),
        engine.Sample(
            "self float16[4, 9]",
            {
                "self": engine.random("float16", 4, 9, larger=(5, 10)),
            },
        ),
    ],
    refusals=[
    ],
)
