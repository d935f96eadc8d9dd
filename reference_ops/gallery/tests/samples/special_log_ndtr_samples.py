"""What the tests feed to aten::special_log_ndtr: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_log_ndtr import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_log_ndtr,
    module=gallery.SpecialLogNdtr,
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
            "self float32[4, 5] (2)",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=-30.0, high=9.0),
            },
        ),
        engine.Sample(
            'self [3.0, 4.0, 5.0, 6.0, 9.0, 0.0, float("inf"), float("-inf"), float("nan")]',
            {
                "self": engine.tensor([3.0, 4.0, 5.0, 6.0, 9.0, 0.0, float("inf"), float("-inf"), float("nan")]),
            },
        ),
    ],
    refusals=[
    ],
)
