"""What the tests feed to aten::repeat_interleave: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._repeat_interleave_tensor import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.repeat_interleave_tensor,
    module=gallery.RepeatInterleaveTensor,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "repeats [2, 0, 3, 1], output_size 6",
            {
                "repeats": engine.tensor([2, 0, 3, 1]),
                "output_size": engine.fixed(6),
            },
        ),
    ],
    refusals=[
    ],
)
