"""What the tests feed to aten::meshgrid: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._meshgrid import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.meshgrid,
    module=gallery.Meshgrid,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "tensors [float32[3], float32[2]]",
            {
                "tensors": engine.many(engine.random("float32", 3), engine.random("float32", 2)),
            },
        ),
    ],
    refusals=[
    ],
)
