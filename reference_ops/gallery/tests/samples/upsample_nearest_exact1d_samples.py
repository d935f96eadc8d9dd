"""What the tests feed to aten::_upsample_nearest_exact1d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._upsample_nearest_exact1d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.upsample_nearest_exact1d,
    module=gallery.UpsampleNearestExact1d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 3, 5], output_size [7], scale_factors None",
            {
                "input": engine.random("float32", 2, 3, 5, larger=(2, 3, 6)),
                "output_size": engine.fixed([7]),
                "scale_factors": engine.fixed(None),
            },
        ),
        engine.Sample(
            "input float32[2, 3, 5], scale_factors [1.7], output_size None",
            {
                "input": engine.random("float32", 2, 3, 5, larger=(2, 3, 6)),
                "scale_factors": engine.fixed([1.7]),
                "output_size": engine.fixed(None),
            },
        ),
    ],
    refusals=[
    ],
)
