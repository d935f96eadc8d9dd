"""Which refusals of drawn calls an ``[[errors]]`` table explains."""

from __future__ import annotations

from typing import Any

import torch

from onnxop_runtime.testing.draws.calls.call import DrawnCall
from onnxop_runtime.testing.draws.judging.refusals import is_limit, is_of_reference, tables_of
from onnxop_runtime.testing.samples import Error, Sample, fixed, random
from tests.unit.testing.draws.drawn_operators import class_of, scalar

X = random("float32", 2, 6, sizes="n, k")
TEXT = "the window, 9, is larger than x, 6"


def windows(x: torch.Tensor, size: int = 2) -> torch.Tensor:
    return x.unfold(-1, size, 1)


def class_with(table: Error) -> Any:
    return class_of(windows, Sample(x=X), scalars=[scalar("size", "int", 2)], errors=[table])


def test_a_table_explains_a_refusal_of_other_sizes_by_its_text() -> None:
    table = Error(RuntimeError, "the window, 9, is larger", x=X, size=fixed(9))
    tests = class_with(table)
    drawn = DrawnCall(tests.samples[0], sizes={"k": 3})
    refusal = RuntimeError("the window, 5, is larger than x, 3")
    assert tables_of(tests, drawn, refusal) == [table]
    assert tables_of(tests, drawn, RuntimeError("out of memory")) == []
    assert tables_of(tests, drawn, ValueError(TEXT)) == []


def test_a_table_of_what_the_reference_refuses_is_no_limit_of_the_kernel() -> None:
    wrong = Error(RuntimeError, "larger than x", x=X, size=fixed(9))
    assert is_of_reference(class_with(wrong), wrong)
    limit = Error(RuntimeError, "at most 3", x=X, size=fixed(4))
    assert not is_of_reference(class_with(limit), limit)


def test_other_arguments_and_empty_tensors_may_be_refused_as_wrong_calls_are() -> None:
    wrong = Error(RuntimeError, "larger than x", x=X, size=fixed(9))
    tests = class_with(wrong)
    sample = tests.samples[0]
    assert not is_limit(tests, wrong, DrawnCall(sample, sizes={"k": 3}))
    assert is_limit(tests, wrong, DrawnCall(sample, scalars={"size": 3}))
    assert is_limit(tests, wrong, DrawnCall(sample, sizes={"n": 0}))
