"""What the tests feed to dynamic_resize::resize: the [[samples]] and [[errors]] of its spec."""

import engine

import dynamic_resize
from dynamic_resize._resize import OP

# fmt: off

CASE = engine.Case(
    package=dynamic_resize,
    operator=OP,
    function=dynamic_resize.resize,
    module=dynamic_resize.Resize,
    kind="composed",
    autograd_function=dynamic_resize.ResizeFunction,
    differentiable=[
        "input",
    ],
    twice_differentiable=[
        "input",
    ],
    samples=[
        engine.Sample(
            "input float32[1, 3, 10, 10], scales [1.0, 1.0, 2.0, 2.0]",
            {
                "input": engine.random("float32", 1, 3, 10, 10, larger=(2, 3, 11, 11)),
                "scales": engine.tensor([1.0, 1.0, 2.0, 2.0]),
            },
        ),
        engine.Sample(
            "input float32[2, 3, 9, 14], scales [1.0, 1.0, 0.5, 1.1]",
            {
                "input": engine.random("float32", 2, 3, 9, 14, larger=(3, 4, 10, 15)),
                "scales": engine.tensor([1.0, 1.0, 0.5, 1.1]),
            },
        ),
    ],
    refusals=[
        engine.Refusal(
            "input float32[1, 3, 10, 10], scales [1.0, 1.0, 2.0]: ValueError",
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "scales": engine.tensor([1.0, 1.0, 2.0]),
            },
            ValueError,
            "scales must be 4",
        ),
        engine.Refusal(
            "input float32[1, 3, 10, 10], scales [1.0, 1.0, 0.0, 2.0]: ValueError",
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "scales": engine.tensor([1.0, 1.0, 0.0, 2.0]),
            },
            ValueError,
            "finite and above 0",
        ),
        engine.Refusal(
            "input float32[1, 3, 10, 10], scales [1.0, 1.0, 2.0, -1.0]: ValueError",
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "scales": engine.tensor([1.0, 1.0, 2.0, -1.0]),
            },
            ValueError,
            "finite and above 0",
        ),
        engine.Refusal(
            'input float32[1, 3, 10, 10], scales [1.0, 1.0, float("inf"), 2.0]: ValueError',
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "scales": engine.tensor([1.0, 1.0, float("inf"), 2.0]),
            },
            ValueError,
            "finite and above 0",
        ),
        engine.Refusal(
            'input float32[1, 3, 10, 10], scales [1.0, 1.0, float("nan"), 2.0]: ValueError',
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "scales": engine.tensor([1.0, 1.0, float("nan"), 2.0]),
            },
            ValueError,
            "finite and above 0",
        ),
        engine.Refusal(
            "input float32[1, 3, 10, 10], scales float64 [1.0, 1.0, 1e300, 1e300]: ValueError",
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "scales": engine.tensor([1.0, 1.0, 1e300, 1e300], dtype="float64"),
            },
            ValueError,
            "float32",
        ),
        engine.Refusal(
            "input float32[1, 3, 10, 10], scales [1.0, 1.0, 0.05, 1.0]: ValueError",
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "scales": engine.tensor([1.0, 1.0, 0.05, 1.0]),
            },
            ValueError,
            "leave nothing",
        ),
        engine.Refusal(
            "input float32[1, 3, 10, 10], scales [2.0, 1.0, 2.0, 2.0]: ValueError",
            {
                "input": engine.random("float32", 1, 3, 10, 10),
                "scales": engine.tensor([2.0, 1.0, 2.0, 2.0]),
            },
            ValueError,
            "begin with 1, 1",
        ),
    ],
)
