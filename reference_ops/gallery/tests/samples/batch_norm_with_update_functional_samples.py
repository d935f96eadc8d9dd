"""What the tests feed to aten::_batch_norm_with_update_functional: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._batch_norm_with_update_functional import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.batch_norm_with_update_functional,
    module=gallery.BatchNormWithUpdateFunctional,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[3, 2, 4, 5], weight float32[2], bias float32[2], running_mean float32[2], running_var float32[2], momentum 0.5, eps 0.6",
            {
                "input": engine.random("float32", 3, 2, 4, 5, larger=(4, 3, 4, 5)),
                "weight": engine.random("float32", 2, larger=(3,)),
                "bias": engine.random("float32", 2, larger=(3,)),
                "running_mean": engine.random("float32", 2, larger=(3,)),
                "running_var": engine.random("float32", 2, larger=(3,), low=0.5, high=2.0),
                "momentum": engine.fixed(0.5),
                "eps": engine.fixed(0.6),
            },
        ),
    ],
    refusals=[
    ],
)
