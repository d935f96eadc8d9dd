"""What the tests feed to aten::pixel_unshuffle: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._pixel_unshuffle import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.pixel_unshuffle,
    module=gallery.PixelUnshuffle,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 6, 4], downscale_factor 2",
            {
                "self": engine.random("float32", 2, 3, 6, 4, larger=(3, 3, 6, 4)),
                "downscale_factor": engine.fixed(2),
            },
        ),
        engine.Sample(
            "self float32[3, 0, 4], downscale_factor 1",
            {
                "self": engine.random("float32", 3, 0, 4),
                "downscale_factor": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
