"""What the tests feed to aten::special_airy_ai: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_airy_ai import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_airy_ai,
    module=gallery.SpecialAiryAi,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "x float32[4, 9]",
            {
                "x": engine.random("float32", 4, 9, larger=(5, 9), low=-9.0, high=9.0),
            },
        ),
        engine.Sample(
            'x [float("inf"), float("-inf"), float("nan"), 0.0, 104.0, 2.09, -2.09]',
            {
                "x": engine.tensor([float("inf"), float("-inf"), float("nan"), 0.0, 104.0, 2.09, -2.09]),
            },
        ),
    ],
    refusals=[
    ],
)
