"""What the tests feed to aten::linalg_householder_product: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_householder_product import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_householder_product,
    module=gallery.LinalgHouseholderProduct,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[2, 4, 3], tau float32[2, 2]",
            {
                "input": engine.random("float32", 2, 4, 3, larger=(3, 5, 3)),
                "tau": engine.random("float32", 2, 2, larger=(3, 2)),
            },
        ),
        engine.Sample(
            "input float32[3, 3], tau float32[3]",
            {
                "input": engine.random("float32", 3, 3),
                "tau": engine.random("float32", 3),
            },
        ),
    ],
    refusals=[
    ],
)
