"""What the tests feed to aten::_upsample_bicubic2d_aa: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._upsample_bicubic2d_aa import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.upsample_bicubic2d_aa,
    module=gallery.UpsampleBicubic2dAa,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 3, 5, 6], align_corners False, output_size [7, 9], scale_factors None",
            {
                "input": engine.random("float32", 2, 3, 5, 6, larger=(2, 3, 6, 7)),
                "align_corners": engine.fixed(False),
                "output_size": engine.fixed([7, 9]),
                "scale_factors": engine.fixed(None),
            },
        ),
        engine.Sample(
            "input float32[2, 3, 15, 16], align_corners True, output_size [1, 7], scale_factors None",
            {
                "input": engine.random("float32", 2, 3, 15, 16, larger=(2, 3, 16, 17)),
                "align_corners": engine.fixed(True),
                "output_size": engine.fixed([1, 7]),
                "scale_factors": engine.fixed(None),
            },
        ),
        engine.Sample(
            "input float32[2, 3, 15, 16], align_corners False, scale_factors [0.5, 0.7], output_size None",
            {
                "input": engine.random("float32", 2, 3, 15, 16, larger=(2, 3, 16, 17)),
                "align_corners": engine.fixed(False),
                "scale_factors": engine.fixed([0.5, 0.7]),
                "output_size": engine.fixed(None),
            },
        ),
        engine.Sample(
            "input float32[2, 3, 15, 16], align_corners True, scale_factors [1.7, 0.6], output_size None",
            {
                "input": engine.random("float32", 2, 3, 15, 16, larger=(2, 3, 16, 17)),
                "align_corners": engine.fixed(True),
                "scale_factors": engine.fixed([1.7, 0.6]),
                "output_size": engine.fixed(None),
            },
        ),
        engine.Sample(
            "input uint8[2, 3, 5, 6], align_corners False, output_size [7, 9], scale_factors None",
            {
                "input": engine.random("uint8", 2, 3, 5, 6, low=0, high=255),
                "align_corners": engine.fixed(False),
                "output_size": engine.fixed([7, 9]),
                "scale_factors": engine.fixed(None),
            },
        ),
    ],
    refusals=[
    ],
)
