"""The attempts to trace a model: which one follows which failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.exporting.call.trace_attempts import (
    NEITHER,
    NUMBERS_ALONE,
    NUMBERS_AND_SIZES,
    SIZES_ALONE,
    TraceAttempt,
    attempt_after,
    trace_by_attempts,
)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    ("failed", "sizes_may_be_why", "numbers_may_be_why", "expected"),
    [
        (NUMBERS_AND_SIZES, True, True, NUMBERS_ALONE),
        (NUMBERS_AND_SIZES, True, False, NUMBERS_ALONE),
        (NUMBERS_AND_SIZES, False, True, SIZES_ALONE),
        (NUMBERS_AND_SIZES, False, False, None),
        (NUMBERS_ALONE, False, True, SIZES_ALONE),
        (NUMBERS_ALONE, False, False, None),
        (SIZES_ALONE, True, True, NEITHER),
        (SIZES_ALONE, False, True, None),
        (NEITHER, False, True, None),
    ],
)
def test_the_attempt_after_a_failure(
    failed: TraceAttempt,
    sizes_may_be_why: bool,
    numbers_may_be_why: bool,
    expected: TraceAttempt | None,
) -> None:
    following = attempt_after(
        failed, sizes_may_be_why=sizes_may_be_why, numbers_may_be_why=numbers_may_be_why
    )
    assert following == expected


def attempts_of(
    function: Callable[[Tensor], object], error: type[Exception] | None = None
) -> list[TraceAttempt]:
    """Return the attempts to trace a model of this function, which end with this error."""

    class Model(torch.nn.Module):
        def forward(self, x: Tensor) -> object:
            return function(x)

    made: list[TraceAttempt] = []
    model = Model()

    def export() -> None:
        methods = vars(torch.Tensor)
        attempt = TraceAttempt("__trunc__" in methods, "tolist" in methods)
        if attempt not in made:  # a number is found by a trace that ends there
            made.append(attempt)
        trace: Any = torch.jit.trace
        trace(model, (torch.tensor([3]),), check_trace=False)

    if error is None:
        trace_by_attempts(model, export, lambda: None)
    else:
        with pytest.raises(error):
            trace_by_attempts(model, export, lambda: None)
    return made


SCALES = {3: 4.0}


def test_a_model_that_takes_tensors_is_traced_at_once() -> None:
    assert attempts_of(lambda x: x * 2) == [NUMBERS_AND_SIZES]


def test_a_model_that_needs_a_size_has_its_numbers() -> None:
    assert attempts_of(lambda x: x * SCALES[x.tolist()[0]]) == [NUMBERS_AND_SIZES, NUMBERS_ALONE]


def test_a_model_that_needs_a_number_has_its_sizes() -> None:
    assert attempts_of(lambda x: x * SCALES[int(x[0])]) == [NUMBERS_AND_SIZES, SIZES_ALONE]


def test_a_model_that_needs_both_is_traced_as_by_pytorch() -> None:
    def scaled(x: Tensor) -> Tensor:
        return x * SCALES[x.tolist()[0]] * SCALES[int(x[0])]

    every = [NUMBERS_AND_SIZES, NUMBERS_ALONE, SIZES_ALONE, NEITHER]
    assert attempts_of(scaled) == every


def test_an_error_of_the_model_ends_the_attempts() -> None:
    def wrong(x: Tensor) -> float:
        return SCALES[x.dim() + 9]

    assert attempts_of(wrong, KeyError) == [NUMBERS_AND_SIZES]


def test_an_operator_without_a_rule_ends_the_attempts() -> None:
    """The same trace without sizes would have it, too."""

    def refused(x: Tensor) -> Tensor:
        torch.arange(x.tolist()[0])
        raise torch.onnx.errors.UnsupportedOperatorError("my::op", 18, None)

    refusal = torch.onnx.errors.UnsupportedOperatorError
    assert attempts_of(refused, refusal) == [NUMBERS_AND_SIZES]


def test_what_a_failed_trace_has_left_is_forgotten() -> None:
    left: list[Tensor] = []

    class Looked(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x * SCALES[x.tolist()[0]]

    model = Looked()

    def export() -> None:
        left.append(torch.zeros(1))
        trace: Any = torch.jit.trace
        trace(model, (torch.tensor([3]),), check_trace=False)

    trace_by_attempts(model, export, left.clear)
    assert len(left) == 1
