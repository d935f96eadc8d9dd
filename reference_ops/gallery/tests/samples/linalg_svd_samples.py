"""What the tests feed to aten::linalg_svd: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_svd import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_svd,
    module=gallery.LinalgSvd,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A [[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]",
            {
                "A": engine.tensor([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
