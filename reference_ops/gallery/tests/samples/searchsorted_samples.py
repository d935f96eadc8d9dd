"""What the tests feed to aten::searchsorted: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._searchsorted import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.searchsorted,
    module=gallery.Searchsorted,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "sorted_sequence [1.0, 3.0, 5.0, 7.0], self float32[3]",
            {
                "sorted_sequence": engine.tensor([1.0, 3.0, 5.0, 7.0]),
                "self": engine.random("float32", 3, larger=(4,)),
            },
        ),
        engine.Sample(
            'sorted_sequence [float("-inf"), 3.0, 3.0, float("inf")], self [float("nan"), float("inf"), float("-inf"), 3.0], right True',
            {
                "sorted_sequence": engine.tensor([float("-inf"), 3.0, 3.0, float("inf")]),
                "self": engine.tensor([float("nan"), float("inf"), float("-inf"), 3.0]),
                "right": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
