"""What the tests feed to aten::histc: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._histc import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.histc,
    module=gallery.Histc,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], bins 5",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "bins": engine.fixed(5),
            },
        ),
        engine.Sample(
            "self [1.0, -0.5, 0.0, 2.0, 3.0, 0.7], bins 3, min 0.0, max 2.0",
            {
                "self": engine.tensor([1.0, -0.5, 0.0, 2.0, 3.0, 0.7]),
                "bins": engine.fixed(3),
                "min": engine.fixed(0.0),
                "max": engine.fixed(2.0),
            },
        ),
        engine.Sample(
            "self [2.0, 2.0, 2.0], bins 4",
            {
                "self": engine.tensor([2.0, 2.0, 2.0]),
                "bins": engine.fixed(4),
            },
        ),
    ],
    refusals=[
    ],
)
