"""What the tests feed to aten::cholesky_inverse: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._cholesky_inverse import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.cholesky_inverse,
    module=gallery.CholeskyInverse,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.3, 0.6, 1.5]]",
            {
                "self": engine.tensor([[2.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.3, 0.6, 1.5]]),
            },
        ),
    ],
    refusals=[
    ],
)
