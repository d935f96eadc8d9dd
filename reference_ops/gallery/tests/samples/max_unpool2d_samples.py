"""What the tests feed to aten::max_unpool2d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._max_unpool2d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.max_unpool2d,
    module=gallery.MaxUnpool2d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 1, 2, 2], indices [[[[0, 3], [9, 14]]], [[[5, 2], [8, 15]]]], output_size [4, 4]",
            {
                "self": engine.random("float32", 2, 1, 2, 2),
                "indices": engine.tensor([[[[0, 3], [9, 14]]], [[[5, 2], [8, 15]]]]),
                "output_size": engine.fixed([4, 4]),
            },
        ),
    ],
    refusals=[
    ],
)
