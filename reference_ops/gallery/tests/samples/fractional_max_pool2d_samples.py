"""What the tests feed to aten::fractional_max_pool2d: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._fractional_max_pool2d import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.fractional_max_pool2d,
    module=gallery.FractionalMaxPool2d,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "self float32[2, 3, 7, 8], kernel_size [2, 3], output_size [4, 3], random_samples float32[2, 3, 2]",
            {
                "self": engine.random("float32", 2, 3, 7, 8, larger=(3, 3, 8, 9)),
                "kernel_size": engine.fixed([2, 3]),
                "output_size": engine.fixed([4, 3]),
                "random_samples": engine.random("float32", 2, 3, 2, larger=(3, 3, 2), low=0.0, high=1.0),
            },
        ),
    ],
    refusals=[
    ],
)
