"""What the tests feed to aten::kron: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._kron import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.kron,
    module=gallery.Kron,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5], other float32[10, 20]",
            {
                "self": engine.random("float32", 5, 5),
                "other": engine.random("float32", 10, 20),
            },
        ),
    ],
    refusals=[
    ],
)
