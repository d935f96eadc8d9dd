"""What the tests feed to aten::linalg_inv_ex: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_inv_ex import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_inv_ex,
    module=gallery.LinalgInvEx,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A [[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]",
            {
                "A": engine.tensor([[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]),
            },
        ),
    ],
    refusals=[
    ],
)
