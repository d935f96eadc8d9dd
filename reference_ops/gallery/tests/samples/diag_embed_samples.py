"""What the tests feed to aten::diag_embed: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._diag_embed import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.diag_embed,
    module=gallery.DiagEmbed,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 4]",
            {
                "self": engine.random("float32", 2, 4, larger=(2, 5)),
            },
        ),
        engine.Sample(
            'self [[float("inf"), float("nan"), float("-inf")]], offset -1, dim1 2, dim2 0',
            {
                "self": engine.tensor([[float("inf"), float("nan"), float("-inf")]]),
                "offset": engine.fixed(-1),
                "dim1": engine.fixed(2),
                "dim2": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
