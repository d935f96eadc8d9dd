"""What the tests feed to aten::linalg_diagonal: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._linalg_diagonal import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.linalg_diagonal,
    module=gallery.LinalgDiagonal,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "A float32[4, 5]",
            {
                "A": engine.random("float32", 4, 5, larger=(5, 6)),
            },
        ),
        engine.Sample(
            'A [[float("inf"), float("nan"), 2.0], [float("nan"), float("-inf"), 1.0]], offset 1',
            {
                "A": engine.tensor([[float("inf"), float("nan"), 2.0], [float("nan"), float("-inf"), 1.0]]),
                "offset": engine.fixed(1),
            },
        ),
        engine.Sample(
            "A float32[3, 2, 4], offset -1, dim1 2, dim2 0",
            {
                "A": engine.random("float32", 3, 2, 4, larger=(3, 3, 4)),
                "offset": engine.fixed(-1),
                "dim1": engine.fixed(2),
                "dim2": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
