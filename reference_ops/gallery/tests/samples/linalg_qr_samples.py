"""What the tests feed to aten::linalg_qr: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_qr import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_qr,
    module=gallery.LinalgQr,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A [[4.0, 2.0], [1.0, -5.0], [0.6, 3.5]]",
            {
                "A": engine.tensor([[4.0, 2.0], [1.0, -5.0], [0.6, 3.5]]),
            },
        ),
    ],
    refusals=[
    ],
)
