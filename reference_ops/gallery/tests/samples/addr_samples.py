"""What the tests feed to aten::addr: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._addr import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.addr,
    module=gallery.Addr,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[5, 10], vec1 float32[5], vec2 float32[10]",
            {
                "self": engine.random("float32", 5, 10),
                "vec1": engine.random("float32", 5, low=3.309, high=7.468),
                "vec2": engine.random("float32", 10),
            },
        ),
    ],
    refusals=[
    ],
)
