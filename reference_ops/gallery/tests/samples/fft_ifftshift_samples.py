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
            "self float32[9, 10]",
            {
                "self": engine.random("float32", 9, 10),
            },
        ),
    ],
    refusals=[
    ],
)
