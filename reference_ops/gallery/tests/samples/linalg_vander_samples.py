"""What the tests feed to aten::linalg_vander: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_vander import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_vander,
    module=gallery.LinalgVander,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "x float32[4], N 3",
            {
                "x": engine.random("float32", 4, larger=(5,)),
                "N": engine.fixed(3),
            },
        ),
        engine.Sample(
            'x [0.0, -0.0, float("inf"), 2.0], N 4',
            {
                "x": engine.tensor([0.0, -0.0, float("inf"), 2.0]),
                "N": engine.fixed(4),
            },
        ),
    ],
    refusals=[
    ],
)
