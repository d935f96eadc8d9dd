"""What the tests feed to aten::special_xlog1py: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_xlog1py import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_xlog1py,
    module=gallery.SpecialXlog1py,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], other float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=-2.0, high=2.0),
                "other": engine.random("float32", 4, 5, larger=(5, 5), low=-0.9, high=3.0),
            },
        ),
        engine.Sample(
            'self [0.0, 0.0, 2.0, 3.0, float("nan"), 0.0, 10000000000.0], other [float("nan"), -1.0, 1e-07, float("inf"), 1.0, -2.0, -1e-09]',
            {
                "self": engine.tensor([0.0, 0.0, 2.0, 3.0, float("nan"), 0.0, 10000000000.0]),
                "other": engine.tensor([float("nan"), -1.0, 1e-07, float("inf"), 1.0, -2.0, -1e-09]),
            },
        ),
    ],
    refusals=[
    ],
)
