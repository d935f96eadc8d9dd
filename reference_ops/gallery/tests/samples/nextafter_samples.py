"""What the tests feed to aten::nextafter: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nextafter import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nextafter,
    module=gallery.Nextafter,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], other float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "other": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
        engine.Sample(
            'self [float("inf"), 0.0, 1.0, 3.4028234e38, 1e-40, -1.1754944e-38, 1.1754944e-38, float("nan"), 1.0, 2.5e-30, 2.0], other [0.0, -1.0, 0.0, float("inf"), 0.0, 0.0, 1.0, 1.0, float("nan"), 1.0, 1.0]',
            {
                "self": engine.tensor([float("inf"), 0.0, 1.0, 3.4028234e38, 1e-40, -1.1754944e-38, 1.1754944e-38, float("nan"), 1.0, 2.5e-30, 2.0]),
                "other": engine.tensor([0.0, -1.0, 0.0, float("inf"), 0.0, 0.0, 1.0, 1.0, float("nan"), 1.0, 1.0]),
            },
        ),
    ],
    refusals=[
    ],
)
