"""What the tests feed to aten::mode: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._mode import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.mode,
    module=gallery.Mode,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[1.0, 2.0, 2.0, 3.0], [5.0, 4.0, 4.0, 5.0]]",
            {
                "self": engine.tensor([[1.0, 2.0, 2.0, 3.0], [5.0, 4.0, 4.0, 5.0]]),
            },
        ),
        engine.Sample(
            'self [[float("inf"), float("-inf"), float("inf")], [float("-inf"), float("-inf"), 1.0]]',
            {
                "self": engine.tensor([[float("inf"), float("-inf"), float("inf")], [float("-inf"), float("-inf"), 1.0]]),
            },
        ),
        engine.Sample(
            "self [[9007199254740993, 9007199254740992, 9007199254740993]], keepdim True",
            {
                "self": engine.tensor([[9007199254740993, 9007199254740992, 9007199254740993]]),
                "keepdim": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
