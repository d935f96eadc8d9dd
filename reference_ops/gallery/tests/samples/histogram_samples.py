"""What the tests feed to gallery::histogram: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._histogram import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.histogram,
    module=gallery.Histogram,
    kind="composed",
    autograd_function=gallery.HistogramFunction,
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
            "self [1.0, -0.5, 0.0, 2.0, 3.0, 0.7], bins 3, range [0.0, 2.0], weight float32[6], density True",
            {
                "self": engine.tensor([1.0, -0.5, 0.0, 2.0, 3.0, 0.7]),
                "bins": engine.fixed(3),
                "range": engine.fixed([0.0, 2.0]),
                "weight": engine.random("float32", 6),
                "density": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
