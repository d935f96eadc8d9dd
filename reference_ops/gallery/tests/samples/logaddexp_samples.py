"""What the tests feed to aten::logaddexp: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._logaddexp import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.logaddexp,
    module=gallery.Logaddexp,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], other float32[4, 5]",
            {
                "self": engine.random("float32", 4, 5, larger=(5, 5)),
                "other": engine.random("float32", 4, 5, larger=(5, 5)),
            },
        ),
        engine.Sample(
            'self [float("inf"), float("-inf"), float("inf"), float("nan"), 1e30, 0.0], other [float("inf"), float("-inf"), float("-inf"), float("inf"), -1e30, -20.0]',
            {
                "self": engine.tensor([float("inf"), float("-inf"), float("inf"), float("nan"), 1e30, 0.0]),
                "other": engine.tensor([float("inf"), float("-inf"), float("-inf"), float("inf"), -1e30, -20.0]),
            },
        ),
    ],
    refusals=[
    ],
)
