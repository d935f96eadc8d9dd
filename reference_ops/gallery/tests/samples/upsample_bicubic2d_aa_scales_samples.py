"""What the tests feed to aten::_upsample_bicubic2d_aa: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._upsample_bicubic2d_aa_scales import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.upsample_bicubic2d_aa_scales,
    module=gallery.UpsampleBicubic2dAaScales,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 5, 6], align_corners False, output_size [7, 9]",
            {
                "self": engine.random("float32", 2, 3, 5, 6, larger=(2, 3, 6, 7)),
                "align_corners": engine.fixed(False),
                "output_size": engine.fixed([7, 9]),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 15, 16], align_corners True, output_size [1, 7]",
            {
                "self": engine.random("float32", 2, 3, 15, 16, larger=(2, 3, 16, 17)),
                "align_corners": engine.fixed(True),
                "output_size": engine.fixed([1, 7]),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 15, 16], align_corners False, output_size [7, 11], scales_h 0.5, scales_w 0.7",
            {
                "self": engine.random("float32", 2, 3, 15, 16, larger=(2, 3, 16, 17)),
                "align_corners": engine.fixed(False),
                "output_size": engine.fixed([7, 11]),
                "scales_h": engine.fixed(0.5),
                "scales_w": engine.fixed(0.7),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 15, 16], align_corners True, output_size [25, 9], scales_h 1.7, scales_w 0.6",
            {
                "self": engine.random("float32", 2, 3, 15, 16, larger=(2, 3, 16, 17)),
                "align_corners": engine.fixed(True),
                "output_size": engine.fixed([25, 9]),
                "scales_h": engine.fixed(1.7),
                "scales_w": engine.fixed(0.6),
            },
        ),
        engine.Sample(
            "self uint8[2, 3, 5, 6], align_corners False, output_size [7, 9]",
            {
                "self": engine.random("uint8", 2, 3, 5, 6, low=0, high=255),
                "align_corners": engine.fixed(False),
                "output_size": engine.fixed([7, 9]),
            },
        ),
    ],
    refusals=[
    ],
)
