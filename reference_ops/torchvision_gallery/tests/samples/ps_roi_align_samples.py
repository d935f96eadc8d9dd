"""What the tests feed to torchvision::ps_roi_align: the [[samples]] and [[errors]] of its spec."""

import engine

import torchvision_gallery
from torchvision_gallery._ps_roi_align import OP

# fmt: off

CASE = engine.Case(
    package=torchvision_gallery,
    operator=OP,
    function=torchvision_gallery.ps_roi_align,
    module=torchvision_gallery.PsRoiAlign,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 18, 12, 14], rois [[0.0, 1.0, 1.0, 8.0, 9.0], [1.0, 0.5, 2.0, 10.0, 7.5]], spatial_scale 0.5, pooled_height 3, pooled_width 3, sampling_ratio 2",
            {
                "input": engine.random("float32", 2, 18, 12, 14, larger=(3, 18, 13, 15)),
                "rois": engine.tensor([[0.0, 1.0, 1.0, 8.0, 9.0], [1.0, 0.5, 2.0, 10.0, 7.5]]),
                "spatial_scale": engine.fixed(0.5),
                "pooled_height": engine.fixed(3),
                "pooled_width": engine.fixed(3),
                "sampling_ratio": engine.fixed(2),
            },
        ),
        engine.Sample(
            "input float32[2, 12, 12, 14], rois [[0.0, 1.0, 1.0, 8.0, 9.0], [1.0, 0.5, 2.0, 10.0, 7.5]], spatial_scale 1.0, pooled_height 2, pooled_width 3, sampling_ratio -1",
            {
                "input": engine.random("float32", 2, 12, 12, 14, larger=(3, 12, 13, 15)),
                "rois": engine.tensor([[0.0, 1.0, 1.0, 8.0, 9.0], [1.0, 0.5, 2.0, 10.0, 7.5]]),
                "spatial_scale": engine.fixed(1.0),
                "pooled_height": engine.fixed(2),
                "pooled_width": engine.fixed(3),
                "sampling_ratio": engine.fixed(-1),
            },
        ),
        engine.Sample(
            "input float32[2, 8, 12, 14], rois float32[5, 5], spatial_scale 12.0, pooled_height 4, pooled_width 1, sampling_ratio 2",
            {
                "input": engine.random("float32", 2, 8, 12, 14, larger=(3, 8, 12, 14)),
                "rois": engine.random("float32", 5, 5, larger=(6, 5), low=0.0, high=0.9),
                "spatial_scale": engine.fixed(12.0),
                "pooled_height": engine.fixed(4),
                "pooled_width": engine.fixed(1),
                "sampling_ratio": engine.fixed(2),
            },
        ),
        engine.Sample(
            "input float32[2, 9, 5, 4], rois float32[8, 5], spatial_scale 1.0, pooled_height 3, pooled_width 3, sampling_ratio 0",
            {
                "input": engine.random("float32", 2, 9, 5, 4, larger=(2, 9, 6, 5)),
                "rois": engine.tensor([[0.0, -9.0, -9.0, -5.0, -6.0], [1.0, 3.0, 4.0, 1.0, 1.0], [0.0, 20.0, 1.0, 30.0, 3.0], [1.0, -0.5, 0.5, 2.5, 1.5], [0.0, -3.0, -2.0, 30.0, 40.0], [1.0, 2.0, 2.0, 2.0, 2.0], [0.0, 3.0, 0.0, -4.0, 5.0], [0.0, 3.0, 4.0, -4.0, -5.0]]),
                "spatial_scale": engine.fixed(1.0),
                "pooled_height": engine.fixed(3),
                "pooled_width": engine.fixed(3),
                "sampling_ratio": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
