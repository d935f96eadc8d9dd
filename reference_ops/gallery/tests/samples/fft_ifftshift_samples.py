"""What the tests feed to aten::fft_ifftshift: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._fft_ifftshift import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.fft_ifftshift,
    module=gallery.FftIfftshift,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[9, 4]",
            {
                "self": engine.random("float32", 9, 4, larger=(10, 5)),
            },
        ),
        engine.Sample(
            "self float32[3, 2, 5], dim [-1]",
            {
                "self": engine.random("float32", 3, 2, 5, larger=(3, 2, 6)),
                "dim": engine.fixed([-1]),
            },
        ),
        engine.Sample(
            "self float32[5, 11], dim [1]",
            {
                "self": engine.random("float32", 5, 11),
                "dim": engine.fixed([1]),
            },
        ),
    ],
    refusals=[
    ],
)
