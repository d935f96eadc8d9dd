"""What the tests feed to aten::fill: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._fill_tensor import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.fill_tensor,
    module=gallery.FillTensor,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], value 3",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "value": engine.tensor(3),
            },
        ),
    ],
    refusals=[
    ],
)
