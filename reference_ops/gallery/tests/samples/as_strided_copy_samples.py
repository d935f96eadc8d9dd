"""What the tests feed to aten::as_strided_copy: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._as_strided_copy import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.as_strided_copy,
    module=gallery.AsStridedCopy,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[1], size [1], stride [1], storage_offset 0",
            {
                "self": engine.random("float32", 1, low=-8.478, high=-8.478),
                "size": engine.fixed([1]),
                "stride": engine.fixed([1]),
                "storage_offset": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
