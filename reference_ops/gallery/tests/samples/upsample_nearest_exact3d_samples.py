"""What the tests feed to aten::_upsample_nearest_exact3d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._upsample_nearest_exact3d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.upsample_nearest_exact3d,
    module=gallery.UpsampleNearestExact3d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[1, 2, 3, 4, 5], output_size [4, 7, 9], scale_factors None",
            {
                "input": engine.random("float32", 1, 2, 3, 4, 5, larger=(1, 2, 4, 5, 6)),
                "output_size": engine.fixed([4, 7, 9]),
                "scale_factors": engine.fixed(None),
            },
        ),
        engine.Sample(
            "input float32[1, 2, 3, 4, 5], scale_factors [1.7, 1.7, 1.7], output_size None",
            {
                "input": engine.random("float32", 1, 2, 3, 4, 5, larger=(1, 2, 4, 5, 6)),
                "scale_factors": engine.fixed([1.7, 1.7, 1.7]),
                "output_size": engine.fixed(None),
            },
        ),
    ],
    refusals=[
    ],
)
