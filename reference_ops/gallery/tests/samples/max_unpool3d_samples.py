"""What the tests feed to aten::max_unpool3d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._max_unpool3d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.max_unpool3d,
    module=gallery.MaxUnpool3d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1, 1, 1, 2, 2], indices [[[[[0, 3], [9, 14]]]]], output_size [2, 4, 4], stride [2, 2, 2], padding [0, 0, 0]",
            {
                "self": engine.random("float32", 1, 1, 1, 2, 2),
                "indices": engine.tensor([[[[[0, 3], [9, 14]]]]]),
                "output_size": engine.fixed([2, 4, 4]),
                "stride": engine.fixed([2, 2, 2]),
                "padding": engine.fixed([0, 0, 0]),
            },
        ),
    ],
    refusals=[
    ],
)
