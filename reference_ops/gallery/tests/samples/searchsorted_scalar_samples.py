"""What the tests feed to aten::searchsorted: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._searchsorted_scalar import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.searchsorted_scalar,
    module=gallery.SearchsortedScalar,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "sorted_sequence [1.0, 3.0, 3.0, 7.0], self 3.0",
            {
                "sorted_sequence": engine.tensor([1.0, 3.0, 3.0, 7.0]),
                "self": engine.fixed(3.0),
            },
        ),
        engine.Sample(
            'sorted_sequence [5.0, 1.0, 3.0], self 3, out_int32 True, side "right", sorter [1, 2, 0]',
            {
                "sorted_sequence": engine.tensor([5.0, 1.0, 3.0]),
                "self": engine.fixed(3),
                "out_int32": engine.fixed(True),
                "side": engine.fixed("right"),
                "sorter": engine.tensor([1, 2, 0]),
            },
        ),
    ],
    refusals=[
    ],
)
