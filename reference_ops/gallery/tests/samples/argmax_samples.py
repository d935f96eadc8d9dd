"""What the tests feed to aten::argmax: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._argmax import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.argmax,
    module=gallery.Argmax,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], dim 1",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "dim": engine.fixed(1),
            },
        ),
        engine.Sample(
            'self [[2.0, float("nan"), float("inf")], [float("-inf"), 1.0, 1.0]], dim 1, keepdim True',
            {
                "self": engine.tensor([[2.0, float("nan"), float("inf")], [float("-inf"), 1.0, 1.0]]),
                "dim": engine.fixed(1),
                "keepdim": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self [[9007199254740992, 9007199254740993], [-3, -4]], keepdim True",
            {
                "self": engine.tensor([[9007199254740992, 9007199254740993], [-3, -4]]),
                "keepdim": engine.fixed(True),
            },
        ),
        engine.Sample(
            "self 2.5, dim -1",
            {
                "self": engine.tensor(2.5),
                "dim": engine.fixed(-1),
            },
        ),
    ],
    refusals=[
    ],
)
