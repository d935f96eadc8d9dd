"""What the tests feed to aten::amin: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._amin import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.amin,
    module=gallery.Amin,
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
            "self float32[4, 5], dim [1], keepdim True",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "dim": engine.fixed([1]),
                "keepdim": engine.fixed(True),
            },
        ),
        engine.Sample(
            'self [[1.0, float("nan")], [float("inf"), 2.0], [float("-inf"), -3.0]], dim [1]',
            {
                "self": engine.tensor([[1.0, float("nan")], [float("inf"), 2.0], [float("-inf"), -3.0]]),
                "dim": engine.fixed([1]),
            },
        ),
        engine.Sample(
            "self [[9007199254740993, 1], [2, -3]], dim [1]",
            {
                "self": engine.tensor([[9007199254740993, 1], [2, -3]]),
                "dim": engine.fixed([1]),
            },
        ),
    ],
    refusals=[
    ],
)
