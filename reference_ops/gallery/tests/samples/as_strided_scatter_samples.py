"""What the tests feed to aten::as_strided_scatter: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._as_strided_scatter import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.as_strided_scatter,
    module=gallery.AsStridedScatter,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[4, 5], src float32[2, 3], size [2, 3], stride [5, 1], storage_offset 1",
            {
                "self": engine.random("float32", 4, 5),
                "src": engine.random("float32", 2, 3),
                "size": engine.fixed([2, 3]),
                "stride": engine.fixed([5, 1]),
                "storage_offset": engine.fixed(1),
            },
        ),
    ],
    refusals=[
    ],
)
