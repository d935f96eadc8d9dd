"""What the tests feed to aten::poisson_nll_loss: the [[samples]] and [[errors]] of its spec."""

import engine

import gallery
from gallery._poisson_nll_loss import OP

# fmt: off

CASE = engine.Case(
    package=gallery,
    operator=OP,
    function=gallery.poisson_nll_loss,
    module=gallery.PoissonNllLoss,
    kind="existing",
    differentiable=[
    ],
    twice_differentiable=[
    ],
    samples=[
        engine.Sample(
            "input float32[3, 5], target float32[3, 5], log_input True, full False, eps 1e-08, reduction 0",
            {
                "input": engine.random("float32", 3, 5, larger=(4, 5)),
                "target": engine.random("float32", 3, 5, larger=(4, 5), low=0.0, high=4.0),
                "log_input": engine.fixed(True),
                "full": engine.fixed(False),
                "eps": engine.fixed(1e-08),
                "reduction": engine.fixed(0),
            },
        ),
        engine.Sample(
            "input float32[3, 5], target float32[3, 5], log_input False, full True, eps 1e-08, reduction 1",
            {
                "input": engine.random("float32", 3, 5, larger=(4, 5), low=0.1, high=4.0),
                "target": engine.random("float32", 3, 5, larger=(4, 5), low=0.0, high=4.0),
                "log_input": engine.fixed(False),
                "full": engine.fixed(True),
                "eps": engine.fixed(1e-08),
                "reduction": engine.fixed(1),
            },
        ),
        engine.Sample(
            "input [0.0, 1.0, 2.0], target [0.0, 1.0, 3.0], log_input False, full True, eps 1e-08, reduction 2",
            {
                "input": engine.tensor([0.0, 1.0, 2.0]),
                "target": engine.tensor([0.0, 1.0, 3.0]),
                "log_input": engine.fixed(False),
                "full": engine.fixed(True),
                "eps": engine.fixed(1e-08),
                "reduction": engine.fixed(2),
            },
        ),
    ],
    refusals=[
    ],
)
