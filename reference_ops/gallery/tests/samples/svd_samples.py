"""What the tests feed to aten::svd: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._svd import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.svd,
    module=gallery.Svd,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]",
            {
                "self": engine.tensor([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]]),
            },
        ),
    ],
    refusals=[
    ],
)
