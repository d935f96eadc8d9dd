"""What the tests feed to aten::linalg_pinv: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_pinv_of_tensors import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_pinv_of_tensors,
    module=gallery.LinalgPinvOfTensors,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 3]",
            {
                "self": engine.random("float32", 5, 3),
            },
        ),
        engine.Sample(
            "self float32[2, 3, 4], atol 0.0, rtol 1e-05",
            {
                "self": engine.random("float32", 2, 3, 4, larger=(3, 3, 4)),
                "atol": engine.tensor(0.0),
                "rtol": engine.tensor(1e-05),
            },
        ),
        engine.Sample(
            "self [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]]",
            {
                "self": engine.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]]),
            },
        ),
        engine.Sample(
            "self [[1.0, 9.0], [2.0, -5.0]], hermitian True",
            {
                "self": engine.tensor([[1.0, 9.0], [2.0, -5.0]]),
                "hermitian": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self [[1e30, 1e29], [-2e30, 3e30]]",
            {
                "self": engine.tensor([[1e30, 1e29], [-2e30, 3e30]]),
            },
        ),
        engine.Sample(
            "self float32[2, 0]",
            {
                "self": engine.random("float32", 2, 0),
            },
        ),
    ],
    refusals=[
    ],
)
