"""What the tests feed to aten::nanmedian: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nanmedian_dim import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nanmedian_dim,
    module=gallery.NanmedianDim,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], dim 1",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "dim": engine.fixed(1),
            },
        ),
        engine.Sample(
            "self float32[4, 4], dim -1, keepdim True",
            {
                "self": engine.tensor([[1.0, float("inf"), float("-inf"), float("nan")], [1.0, float("nan"), float("nan"), 2.0], [float("inf"), float("inf"), float("nan"), 0.0], [float("nan"), float("nan"), float("nan"), 4.0]]),
                "dim": engine.fixed(-1),
                "keepdim": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
