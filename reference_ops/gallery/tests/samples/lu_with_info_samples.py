"""What the tests feed to aten::_lu_with_info: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._lu_with_info import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.lu_with_info,
    module=gallery.LuWithInfo,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self [[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]",
            {
                "self": engine.tensor([[4.0, 2.0, 0.6], [1.0, -5.0, 1.5], [0.6, 3.5, 0.1]]),
            },
        ),
    ],
    refusals=[
    ],
)
