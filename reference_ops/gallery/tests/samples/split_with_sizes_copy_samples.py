"""What the tests feed to aten::split_with_sizes_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._split_with_sizes_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.split_with_sizes_copy,
    module=gallery.SplitWithSizesCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 5, 5], split_sizes [1, 3, 1]",
            {
                "self": engine.random("float32", 5, 5, 5, larger=(5, 6, 5)),
                "split_sizes": engine.fixed([1, 3, 1]),
            },
        ),
    ],
    refusals=[
    ],
)
