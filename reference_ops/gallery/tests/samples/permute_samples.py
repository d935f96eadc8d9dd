"""What the tests feed to aten::permute: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._permute import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.permute,
    module=gallery.Permute,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4, 5], dims [1, -1, 0]",
            {
                "self": engine.random("float32", 3, 4, 5, larger=(4, 4, 5)),
                "dims": engine.fixed([1, -1, 0]),
            },
        ),
        engine.Sample(
            "self 2.5, dims []",
            {
                "self": engine.tensor(2.5),
                "dims": engine.fixed([]),
            },
        ),
    ],
    refusals=[
    ],
)
