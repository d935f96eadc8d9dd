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
            "input float32[5], target float32[5], log_input True, full True, eps 0.000966453871156782, reduction 0",
            {
                "input": engine.random("float32", 5),
                "target": engine.random("float32", 5, low=2.149, high=6.582),
                "log_input": engine.fixed(True),
                "full": engine.fixed(True),
                "eps": engine.fixed(0.000966453871156782),
                "reduction": engine.fixed(0),
            },
        ),
    ],
    refusals=[
    ],
)
