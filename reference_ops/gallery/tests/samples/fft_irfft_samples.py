"""What the tests feed to aten::fft_irfft: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._fft_irfft import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.fft_irfft,
    module=gallery.FftIrfft,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'self float32[5, 6, 7], n 10, dim 1, norm "ortho"',
            {
                "self": engine.random("float32", 5, 6, 7),
                "n": engine.fixed(10),
                "dim": engine.fixed(1),
                "norm": engine.fixed("ortho"),
            },
        ),
    ],
    refusals=[
    ],
)
