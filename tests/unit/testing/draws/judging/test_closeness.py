"""How closely results and gradients must agree with the reference."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.testing.arguments import Arguments
from onnxop_runtime.testing.draws.calls.call import DrawnCall
from onnxop_runtime.testing.draws.choices.draw_kinds import DrawKind
from onnxop_runtime.testing.draws.judging.closeness import rule_of_gradients
from onnxop_runtime.testing.draws.judging.oracle import expect
from onnxop_runtime.testing.samples import Sample, random


def gradient_of_normalized(arguments: Arguments) -> torch.Tensor:
    """Return the gradient of numbers from which their mean is subtracted."""
    gradient: torch.Tensor = arguments["x"] - arguments["x"].mean()
    return gradient


@pytest.mark.parametrize(("kinds", "is_right"), [(["many"], True), (["sizes"], False)])
def test_long_plain_sums_of_gradients_drift(kinds: list[DrawKind], is_right: bool) -> None:
    sample = Sample(x=random("float32", 131_074, sizes="n"))
    drawn = DrawnCall(sample, kinds=kinds)
    arguments = drawn.arguments()
    expected = expect(gradient_of_normalized, arguments)
    drifted = gradient_of_normalized(arguments) + 2e-4
    rule = rule_of_gradients(drawn, arguments)
    assert (expected.difference([drifted], rule) == "") is is_right
