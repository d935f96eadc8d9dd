"""What the tests feed to aten::cumsum: the [[samples]] and [[errors]] of its spec."""

import engine
import torch

import gallery
from gallery._cumsum import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cumsum,
    module=gallery.Cumsum,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], dim 0",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "dim": engine.fixed(0),
            },
        ),
        engine.Sample(
            "self 2.5, dim 0, dtype torch.float64",
            {
                "self": engine.tensor(2.5),
                "dim": engine.fixed(0),
                "dtype": engine.fixed(torch.float64),
            },
        ),
    ],
    refusals=[
    ],
)
