"""What the tests feed to gallery::histogram_bins_tensor: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._histogram_bins_tensor import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.histogram_bins_tensor,
    module=gallery.HistogramBinsTensor,
    kind="composed",
    autograd_function=gallery.HistogramBinsTensorFunction,
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], bins [-1.0, 0.0, 0.5, 2.0]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "bins": engine.tensor([-1.0, 0.0, 0.5, 2.0]),
            },
        ),
        engine.Sample(
            "self [1.0, -0.5, 0.0, 2.0, 3.0, 0.7], bins [0.0, 0.7, 2.0], weight float32[6], density True",
            {
                "self": engine.tensor([1.0, -0.5, 0.0, 2.0, 3.0, 0.7]),
                "bins": engine.tensor([0.0, 0.7, 2.0]),
                "weight": engine.random("float32", 6),
                "density": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
