"""What the tests feed to aten::special_ndtri: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_ndtri import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_ndtri,
    module=gallery.SpecialNdtri,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=0.01, high=0.99),
            },
        ),
        engine.Sample(
            'self [0.0, 1.0, 1e-30, 0.9999999, float("nan"), -1.0, 2.0]',
            {
                "self": engine.tensor([0.0, 1.0, 1e-30, 0.9999999, float("nan"), -1.0, 2.0]),
            },
        ),
    ],
    refusals=[
    ],
)
