"""What the tests feed to my_lib::my_add: the [[samples]] and [[errors]] of its spec."""

import engine

import my_add
from my_add._my_add import OP

# fmt: off

CASE = engine.Case(
    package=my_add,
    operator=OP,
    function=my_add.my_add,
    module=my_add.MyAdd,
    kind="elementwise",
    autograd_function=my_add.MyAddFunction,
    differentiable=[
        "a",
        "b",
    ],
    twice_differentiable=[
        "a",
        "b",
    ],
    samples=[
        engine.Sample(
            "a float32[1, 3, 10, 10], b float32[1, 3, 10, 10]",
            {
                "a": engine.random("float32", 1, 3, 10, 10, larger=(1, 4, 11, 11)),
                "b": engine.random("float32", 1, 3, 10, 10, larger=(1, 4, 11, 11)),
            },
        ),
        engine.Sample(
            "a float64[2, 1, 5], b float64[4, 1]",
            {
                "a": engine.random("float64", 2, 1, 5, larger=(3, 1, 6)),
                "b": engine.random("float64", 4, 1, larger=(5, 1)),
            },
        ),
        engine.Sample(
            "a float16[3, 7], b float16[7]",
            {
                "a": engine.random("float16", 3, 7, larger=(4, 8)),
                "b": engine.random("float16", 7, larger=(8,)),
            },
        ),
    ],
    refusals=[
        engine.Refusal(
            "a float32[2], b float32[3]: RuntimeError",
            {
                "a": engine.random("float32", 2),
                "b": engine.random("float32", 3),
            },
            RuntimeError,
            "cannot be broadcast together",
        ),
    ],
)
