"""What the tests feed to aten::repeat_interleave: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._repeat_interleave_self_tensor import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.repeat_interleave_self_tensor,
    module=gallery.RepeatInterleaveSelfTensor,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 4], repeats int64[3], dim 1",
            {
                "self": engine.random("float32", 2, 3, 4, larger=(2, 4, 4)),
                "repeats": engine.random("int64", 3, larger=(4,), low=1, high=2),
                "dim": engine.fixed(1),
            },
        ),
        engine.Sample(
            "self float32[2, 3], repeats [2]",
            {
                "self": engine.random("float32", 2, 3),
                "repeats": engine.tensor([2]),
            },
        ),
    ],
    refusals=[
    ],
)
