"""What the tests feed to aten::isin: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._isin import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.isin,
    module=gallery.Isin,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "elements float32[20], test_elements float32[5]",
            {
                "elements": engine.random("float32", 20),
                "test_elements": engine.random("float32", 5),
            },
        ),
        engine.Sample(
            "elements int64[2, 3], test_elements int64[4], invert True",
            {
                "elements": engine.random("int64", 2, 3),
                "test_elements": engine.random("int64", 4),
                "invert": engine.fixed(True),
            },
        ),
    ],
    refusals=[
    ],
)
