"""What the tests feed to aten::segment_reduce: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._segment_reduce import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.segment_reduce,
    module=gallery.SegmentReduce,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'data float32[5, 3], reduce "mean", lengths [2, 0, 3], axis 0, unsafe False, initial 1.5',
            {
                "data": engine.random("float32", 5, 3, larger=(5, 4)),
                "reduce": engine.fixed("mean"),
                "lengths": engine.tensor([2, 0, 3]),
                "axis": engine.fixed(0),
                "unsafe": engine.fixed(False),
                "initial": engine.fixed(1.5),
            },
        ),
        engine.Sample(
            'data [1.0, float("nan"), 2.0, -3.0], reduce "max", offsets [0, 2, 2, 4], axis 0, unsafe False',
            {
                "data": engine.tensor([1.0, float("nan"), 2.0, -3.0]),
                "reduce": engine.fixed("max"),
                "offsets": engine.tensor([0, 2, 2, 4]),
                "axis": engine.fixed(0),
                "unsafe": engine.fixed(False),
            },
        ),
    ],
    refusals=[
    ],
)
