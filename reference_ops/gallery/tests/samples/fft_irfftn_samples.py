"""What the tests feed to aten::fft_irfftn: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._fft_irfftn import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.fft_irfftn,
    module=gallery.FftIrfftn,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'self float32[5, 6, 7], s [3, 10], dim [1, 2], norm "ortho"',
            {
                "self": engine.random("float32", 5, 6, 7),
                "s": engine.fixed([3, 10]),
                "dim": engine.fixed([1, 2]),
                "norm": engine.fixed("ortho"),
            },
        ),
    ],
    refusals=[
    ],
)
