"""What the tests feed to aten::heaviside: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._heaviside import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.heaviside,
    module=gallery.Heaviside,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], values float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "values": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
        engine.Sample(
            'self [float("nan"), float("inf"), float("-inf"), 0.0, -0.0], values [7.0, 7.0, 7.0, 7.0, float("nan")]',
            {
                "self": engine.tensor([float("nan"), float("inf"), float("-inf"), 0.0, -0.0]),
                "values": engine.tensor([7.0, 7.0, 7.0, 7.0, float("nan")]),
            },
        ),
        engine.Sample(
            "self int64[4], values int64[4]",
            {
                "self": engine.random("int64", 4),
                "values": engine.random("int64", 4),
            },
        ),
    ],
    refusals=[
    ],
)
