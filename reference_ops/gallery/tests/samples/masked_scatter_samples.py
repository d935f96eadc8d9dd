"""What the tests feed to aten::masked_scatter: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._masked_scatter import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.masked_scatter,
    module=gallery.MaskedScatter,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3], mask [[True, False, True], [False, True, False]], source float32[2, 3]",
            {
                "self": engine.random("float32", 2, 3),
                "mask": engine.tensor([[True, False, True], [False, True, False]]),
                "source": engine.random("float32", 2, 3),
            },
        ),
    ],
    refusals=[
    ],
)
