"""What the tests feed to aten::grid_sampler_3d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._grid_sampler_3d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.grid_sampler_3d,
    module=gallery.GridSampler3d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[1, 2, 3, 4, 5], grid float32[1, 2, 2, 3, 3], interpolation_mode 0, padding_mode 0, align_corners False",
            {
                "input": engine.random("float32", 1, 2, 3, 4, 5),
                "grid": engine.random("float32", 1, 2, 2, 3, 3, low=-1.0, high=1.0),
                "interpolation_mode": engine.fixed(0),
                "padding_mode": engine.fixed(0),
                "align_corners": engine.fixed(False),
            },
        ),
    ],
    refusals=[
    ],
)
