"""What the tests feed to aten::topk: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._topk import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.topk,
    module=gallery.Topk,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], k 2",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "k": engine.fixed(2),
            },
        ),
        engine.Sample(
            "self 2.5, k 1, dim 0",
            {
                "self": engine.tensor(2.5),
                "k": engine.fixed(1),
                "dim": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
