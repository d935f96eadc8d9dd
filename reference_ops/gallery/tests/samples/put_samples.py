"""What the tests feed to aten::put: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._put import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.put,
    module=gallery.Put,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], index [1, 3, 5], source float32[3]",
            {
                "self": engine.random("float32", 3, 4, larger=(4, 4)),
                "index": engine.tensor([1, 3, 5]),
                "source": engine.random("float32", 3),
            },
        ),
    ],
    refusals=[
    ],
)
