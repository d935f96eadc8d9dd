"""What the tests feed to aten::special_zeta: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._special_zeta import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.special_zeta,
    module=gallery.SpecialZeta,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], other float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=1.5, high=6.0),
                "other": engine.random("float32", 4, 5, larger=(5, 5), low=0.2, high=9.0),
            },
        ),
        engine.Sample(
            "self [2.0, 3.0, 2.5, 1.0, 0.5, 2.0], other [-1.5, -0.3, -0.3, 2.0, 2.0, -2.0]",
            {
                "self": engine.tensor([2.0, 3.0, 2.5, 1.0, 0.5, 2.0]),
                "other": engine.tensor([-1.5, -0.3, -0.3, 2.0, 2.0, -2.0]),
            },
        ),
    ],
    refusals=[
    ],
)
