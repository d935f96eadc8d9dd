"""What the tests feed to aten::nan_to_num: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._nan_to_num import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.nan_to_num,
    module=gallery.NanToNum,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            'self float("nan")',
            {
                "self": engine.tensor(float("nan")),
            },
        ),
    ],
    refusals=[
    ],
)
