"""What the tests feed to aten::grid_sampler_2d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._grid_sampler_2d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.grid_sampler_2d,
    module=gallery.GridSampler2d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 3, 5, 20], grid float32[2, 13, 10, 2], interpolation_mode 0, padding_mode 0, align_corners False",
            {
                "input": engine.random("float32", 2, 3, 5, 20, larger=(3, 3, 5, 21)),
                "grid": engine.random("float32", 2, 13, 10, 2, larger=(3, 13, 11, 2)),
                "interpolation_mode": engine.fixed(0),
                "padding_mode": engine.fixed(0),
                "align_corners": engine.fixed(False),
            },
        ),
    ],
    refusals=[
    ],
)
