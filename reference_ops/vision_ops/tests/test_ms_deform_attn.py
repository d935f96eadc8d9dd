"""Tests of vision_ops::ms_deform_attn: the samples and errors of its spec."""

from onnxop_runtime import testing

import vision_ops
from vision_ops._ms_deform_attn import OP


class TestMsDeformAttn(testing.SourceTests):
    operator = OP
    function = staticmethod(vision_ops.ms_deform_attn)
    module = vision_ops.MsDeformAttn
    autograd_function = vision_ops.MsDeformAttnFunction
    differentiable = ["value", "sampling_locations", "attention_weights"]
    twice_differentiable = ["value", "sampling_locations", "attention_weights"]

    samples = [
        testing.Sample(
            value=testing.random("float32", 2, 26, 2, 5, larger=(3, 26, 2, 6), sizes="n, 26, 2, d"),
            spatial_shapes=testing.tensor([[4, 5], [2, 3]]),
            level_start_index=testing.tensor([0, 20]),
            sampling_locations=testing.random(
                "float32",
                2,
                3,
                2,
                2,
                3,
                2,
                larger=(3, 4, 2, 2, 3, 2),
                sizes="n, q, 2, 2, 3, 2",
                low=-0.3,
                high=1.3,
            ),
            attention_weights=testing.random(
                "float32",
                2,
                3,
                2,
                2,
                3,
                larger=(3, 4, 2, 2, 3),
                sizes="n, q, 2, 2, 3",
            ),
        ),
        testing.Sample(
            value=testing.random(
                "float32",
                1,
                12,
                3,
                32,
                larger=(1, 12, 4, 32),
                sizes="1, 12, h, 32",
            ),
            spatial_shapes=testing.tensor([[3, 4]]),
            level_start_index=testing.tensor([0]),
            sampling_locations=testing.random(
                "float32",
                1,
                7,
                3,
                1,
                4,
                2,
                larger=(1, 8, 4, 1, 4, 2),
                sizes="1, q, h, 1, 4, 2",
                low=0.0,
                high=1.0,
            ),
            attention_weights=testing.random(
                "float32",
                1,
                7,
                3,
                1,
                4,
                larger=(1, 8, 4, 1, 4),
                sizes="1, q, h, 1, 4",
            ),
        ),
        testing.Sample(
            value=testing.random("float64", 1, 14, 2, 4),
            spatial_shapes=testing.tensor([[3, 4], [1, 2]]),
            level_start_index=testing.tensor([0, 12]),
            sampling_locations=testing.random(
                "float64",
                1,
                2,
                2,
                2,
                2,
                2,
                larger=(1, 3, 2, 2, 2, 2),
                sizes="1, q, 2, 2, 2, 2",
                low=-0.2,
                high=1.2,
            ),
            attention_weights=testing.random(
                "float64",
                1,
                2,
                2,
                2,
                2,
                larger=(1, 3, 2, 2, 2),
                sizes="1, q, 2, 2, 2",
            ),
        ),
        testing.Sample(
            value=testing.random("float16", 1, 12, 2, 17),
            spatial_shapes=testing.tensor([[3, 4]]),
            level_start_index=testing.tensor([0]),
            sampling_locations=testing.random(
                "float16",
                1,
                3,
                2,
                1,
                2,
                2,
                larger=(1, 4, 2, 1, 2, 2),
                sizes="1, q, 2, 1, 2, 2",
                low=0.13,
                high=0.37,
            ),
            attention_weights=testing.random(
                "float16",
                1,
                3,
                2,
                1,
                2,
                larger=(1, 4, 2, 1, 2),
                sizes="1, q, 2, 1, 2",
                low=0.0,
                high=0.5,
            ),
        ),
        testing.Sample(
            value=testing.random("float32", 1, 6, 1, 3),
            spatial_shapes=testing.tensor([[2, 3]]),
            level_start_index=testing.tensor([0]),
            sampling_locations=testing.tensor(
                [
                    [
                        [
                            [
                                [
                                    [0.0, 0.0],
                                    [1.0, 1.0],
                                    [0.45, 0.6],
                                    [-0.17, 0.3],
                                    [1000000.0, 0.5],
                                    [0.3, -1000000.0],
                                ],
                            ],
                        ],
                    ],
                ],
            ),
            attention_weights=testing.random("float32", 1, 1, 1, 1, 6),
        ),
        testing.Sample(
            value=testing.random("float32", 1, 6, 1, 3),
            spatial_shapes=testing.tensor([[2, 3]]),
            level_start_index=testing.tensor([0]),
            sampling_locations=testing.tensor(
                [
                    [
                        [
                            [
                                [
                                    [float("inf"), 0.5],
                                    [0.3, float("-inf")],
                                    [float("-inf"), float("inf")],
                                    [float("nan"), 0.5],
                                    [0.4, 0.5],
                                ],
                            ],
                        ],
                    ],
                ],
            ),
            attention_weights=testing.random("float32", 1, 1, 1, 1, 5),
        ),
        testing.Sample(
            value=testing.random("float32", 1, 6, 1, 3),
            spatial_shapes=testing.tensor([[2, 3]]),
            level_start_index=testing.tensor([0]),
            sampling_locations=testing.random("float32", 1, 0, 1, 1, 2, 2),
            attention_weights=testing.random("float32", 1, 0, 1, 1, 2),
        ),
    ]

    errors = [
        testing.Error(
            RuntimeError,
            "attention_weights must have the shape",
            value=testing.random("float32", 1, 6, 1, 3),
            spatial_shapes=testing.tensor([[2, 3]]),
            level_start_index=testing.tensor([0]),
            sampling_locations=testing.random("float32", 1, 4, 1, 1, 2, 2),
            attention_weights=testing.random("float32", 1, 4, 1, 1, 3),
        ),
        testing.Error(
            RuntimeError,
            "level 0 has 2 x 4 positions from 0 on, but value has 6",
            value=testing.random("float32", 1, 6, 1, 3),
            spatial_shapes=testing.tensor([[2, 4]]),
            level_start_index=testing.tensor([0]),
            sampling_locations=testing.random("float32", 1, 4, 1, 1, 2, 2),
            attention_weights=testing.random("float32", 1, 4, 1, 1, 2),
        ),
        testing.Error(
            RuntimeError,
            "must have the same dtype",
            value=testing.random("float32", 1, 6, 1, 3),
            spatial_shapes=testing.tensor([[2, 3]]),
            level_start_index=testing.tensor([0]),
            sampling_locations=testing.random("float64", 1, 4, 1, 1, 2, 2),
            attention_weights=testing.random("float32", 1, 4, 1, 1, 2),
        ),
    ]
