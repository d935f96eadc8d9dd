"""What the tests feed to aten::polygamma: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._polygamma import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.polygamma,
    module=gallery.Polygamma,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "n 0, self float32[4, 5]",
            {
                "n": engine.fixed(0),
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=0.05, high=9.0),
            },
        ),
        engine.Sample(
            "n 1, self float32[4, 5]",
            {
                "n": engine.fixed(1),
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=0.05, high=9.0),
            },
        ),
        engine.Sample(
            "n 3, self float32[4, 5]",
            {
                "n": engine.fixed(3),
                "self": engine.random("float32", 4, 5, larger=(5, 5), low=0.05, high=9.0),
            },
        ),
        engine.Sample(
            'n 2, self [-0.5, -7.25, float("inf"), float("nan"), 3.0]',
            {
                "n": engine.fixed(2),
                "self": engine.tensor([-0.5, -7.25, float("inf"), float("nan"), 3.0]),
            },
        ),
    ],
    refusals=[
    ],
)
