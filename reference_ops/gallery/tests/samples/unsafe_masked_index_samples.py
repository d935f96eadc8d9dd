"""What the tests feed to aten::_unsafe_masked_index: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._unsafe_masked_index import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.unsafe_masked_index,
    module=gallery.UnsafeMaskedIndex,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[3, 4], mask [True, False], indices [[0, 2], [1, 3]], fill 1.5",
            {
                "self": engine.random("float32", 3, 4),
                "mask": engine.tensor([True, False]),
                "indices": engine.many(engine.tensor([0, 2]), engine.tensor([1, 3])),
                "fill": engine.fixed(1.5),
            },
        ),
    ],
    refusals=[
    ],
)
