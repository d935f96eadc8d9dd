"""What the tests feed to aten::native_group_norm: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._native_group_norm import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.native_group_norm,
    module=gallery.NativeGroupNorm,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[1, 6, 3], weight float32[6], bias float32[6], N 1, C 6, HxW 3, group 2, eps 0.5",
            {
                "input": engine.random("float32", 1, 6, 3),
                "weight": engine.random("float32", 6),
                "bias": engine.random("float32", 6),
                "N": engine.fixed(1),
                "C": engine.fixed(6),
                "HxW": engine.fixed(3),
                "group": engine.fixed(2),
                "eps": engine.fixed(0.5),
            },
        ),
    ],
    refusals=[
    ],
)
