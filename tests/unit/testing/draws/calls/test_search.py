"""The search for a call that fails: what it draws, and what it tells."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import pytest
import torch

from onnxop_runtime.testing.draws.calls.call import DrawnCall
from onnxop_runtime.testing.draws.calls.search import Search, runs_of
from onnxop_runtime.testing.draws.calls.tally import Refused, Tally
from onnxop_runtime.testing.draws.choices.draw_kinds import LAYOUTS, SLOW
from onnxop_runtime.testing.plugin import Draws
from onnxop_runtime.testing.samples import Sample, fixed, random
from tests.unit.testing.draws.drawn_operators import class_of, scalar

X = random("float32", 3, 4, sizes="n, k")


@contextlib.contextmanager
def unwatched(_: str) -> Iterator[None]:
    yield


DTYPES = [torch.float32, torch.float16]


def search(
    tests: Any,
    compute: Callable[[DrawnCall], str],
    seed: int = 0,
    seconds: float = Draws.seconds,
    tally: Tally | None = None,
) -> Tally:
    """Search the calls of a class of tests for one that fails."""
    tally = tally or Tally()
    draws = Draws(seed, lambda name, value: None, unwatched, seconds)
    Search(tests, draws, compute, tally).run_all(runs_of(tests, DTYPES, without=SLOW))
    return tally


def drawn_calls(tests: Any, seconds: float = Draws.seconds) -> list[DrawnCall]:
    """Return the calls that a search without a failure draws."""
    drawn: list[DrawnCall] = []

    def compute(call: DrawnCall) -> str:
        drawn.append(call)
        return ""

    search(tests, compute, seconds=seconds)
    return drawn


def three_scalars(x: torch.Tensor, alpha: int = 2, beta: float = 0.5, log: bool = False) -> Any:
    return x * alpha + beta + log


SCALARS = [scalar("alpha", "int", 2), scalar("beta", "float", 0.5), scalar("log", "bool", False)]


@pytest.mark.slow
def test_each_dtype_and_kind_has_draws_when_there_is_no_time() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)
    drawn = drawn_calls(tests, seconds=0.0)
    runs = runs_of(tests, DTYPES, without=SLOW)
    assert len(runs) <= len(drawn) <= 2 * len(runs)
    assert {call.dtype for call in drawn} == {*DTYPES}
    assert {kind for call in drawn for kind in call.kinds} >= {run.kind for run in runs} - {""}
    assert len(drawn_calls(tests)) > 2 * len(drawn)


@pytest.mark.nightly
def test_more_time_has_more_draws() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)
    usual = drawn_calls(tests)
    assert len(drawn_calls(tests, seconds=4 * Draws.seconds)) > 2 * len(usual)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "others", [{"alpha": 2, "log": False}, {"alpha": 2, "beta": 0.5}, {"beta": 0.5, "log": False}]
)
def test_a_fault_that_needs_two_other_scalars_is_found(others: dict[str, Any], seed: int) -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)

    def compute(drawn: DrawnCall) -> str:
        changed = [
            name for name, value in others.items() if drawn.scalars.get(name, value) != value
        ]
        return "both are changed" if len(changed) == 2 else ""

    with pytest.raises(pytest.fail.Exception, match="both are changed") as failure:
        search(tests, compute, seed)
    assert all(name in str(failure.value) for name in others)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_fault_that_needs_two_missing_tensors_is_found(seed: int) -> None:
    sample = Sample(x=X, w=random("float32", 4, sizes="k"), bias=random("float32", 4, sizes="k"))
    tests = class_of(lambda x, w, bias: x, sample, optional=("w", "bias"))

    def compute(drawn: DrawnCall) -> str:
        return "both are missing" if {*drawn.left_out} == {"w", "bias"} else ""

    with pytest.raises(pytest.fail.Exception, match="both are missing"):
        search(tests, compute, seed)


@pytest.mark.slow
def test_each_dtype_and_kind_is_computed() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)
    tally = search(tests, lambda drawn: "")
    for name in ("float32", "float16", "empty", "square", "NaN", "scalar", "scalars", "strided"):
        assert tally.computed[name] >= 2, str(tally)


@pytest.mark.slow
def test_a_kernel_that_refuses_a_dtype_fails() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)

    def compute(drawn: DrawnCall) -> str:
        if drawn.dtype == torch.float16:
            raise Refused(is_said=True) from RuntimeError("x must be float32")
        return ""

    told = r"drawn calls of float16 is refused.* The first is x float16\[.*\].*: x must be float32$"
    with pytest.raises(pytest.fail.Exception, match=told):
        search(tests, compute).check("calls")


def test_a_dtype_of_which_all_drawn_calls_are_refused_has_the_samples_own() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)

    def compute(drawn: DrawnCall) -> str:
        if drawn.dtype == torch.float16 and (drawn.kinds or drawn.seed):
            raise Refused from IndexError("index 40 is out of bounds")
        return ""

    tally = Tally()
    for call in (DrawnCall(tests.samples[0], seed=seed, dtype=torch.float16) for seed in range(9)):
        tally.refuse(call, Refused())
    with pytest.raises(pytest.fail.Exception, match="each of 9 drawn calls of float16 is refused"):
        tally.check("calls")
    assert tally.refused_dtypes([None, *DTYPES]) == [torch.float16]
    draws = Draws(0, lambda name, value: None, unwatched, Draws.seconds)
    Search(tests, draws, compute, tally).make_samples_in([torch.float16])
    assert tally.computed["float16"] == 1
    tally.check("calls")


@pytest.mark.slow
def test_the_smallest_call_is_told() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)

    def compute(drawn: DrawnCall) -> str:
        return "too many rows" if drawn.arguments()["x"].shape[0] > 5 else ""

    with pytest.raises(pytest.fail.Exception, match="too many rows") as failure:
        search(tests, compute)
    assert "x float32[6, " in str(failure.value) or "x float32[7, " in str(failure.value)


@pytest.mark.slow
def test_a_call_of_ordinary_numbers_is_told_if_it_fails_too() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)

    kinds = set[str]()

    def compute(drawn: DrawnCall) -> str:
        """Fail at extremes first, and then at ordinary numbers, too, but not at the first call."""
        kinds.add(drawn.values)
        return "the result is 1.0" if "extremes" in kinds and drawn.dtype != DTYPES[0] else ""

    with pytest.raises(pytest.fail.Exception) as failure:
        search(tests, compute)
    assert str(failure.value).startswith(f"{tests.operator}: x float32[3, 4]: the result is 1.0")


def test_a_kernel_that_keeps_something_between_calls_is_told_of() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)
    shapes = set()

    def compute(drawn: DrawnCall) -> str:
        """Fail at the first call of each shape only."""
        shape = drawn.arguments()["x"].shape
        is_new = shape[0] > 5 and shape not in shapes
        shapes.add(shape)
        return "the result is 1.0" if is_new else ""

    with pytest.raises(pytest.fail.Exception, match="keeps something between calls") as failure:
        search(tests, compute)
    assert ": the result is 1.0 (--draws-seed=0 draws it again); the same call" in str(
        failure.value
    )


def test_the_call_before_one_that_passes_later_is_told() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)
    rows: list[int] = [3]

    def compute(drawn: DrawnCall) -> str:
        """Fail in a call with more rows than the call before has."""
        rows.append(drawn.arguments()["x"].shape[0])
        return "a row is missing" if rows[-1] > rows[-2] else ""

    with pytest.raises(pytest.fail.Exception, match="a row is missing") as failure:
        search(tests, compute)
    assert "; the same call, made again, gives another result" in str(failure.value)
    assert re.search(r"\(it was made after x \w+\[\d+, \d+\]", str(failure.value))


@pytest.mark.slow
def test_a_call_that_fails_after_another_one_is_told() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)
    kept: list[int] = []

    def compute(drawn: DrawnCall) -> str:
        """Fail in each call after one of 7 rows."""
        kept.extend([7] * (drawn.arguments()["x"].shape[0] == 7))
        return "the result is 1.0" if kept else ""

    with pytest.raises(pytest.fail.Exception, match="x float\\d+\\[7, ") as failure:
        search(tests, compute)
    assert "passes at first, and fails after this call" in str(failure.value)


def test_an_error_outside_all_calls_is_not_told_of_the_kernel() -> None:
    class Failing(Tally):
        def add(self, drawn: DrawnCall) -> None:
            """Fail at the first call only."""
            super().add(drawn)
            if self.computed["calls"] == 1:
                raise OSError("the disk is full")

    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)
    with pytest.raises(hypothesis.errors.Flaky):
        search(tests, lambda drawn: "", tally=Failing())


def test_each_size_of_an_operator_that_reduces_is_large_once() -> None:
    tests = class_of(lambda x: x.sum(-1), Sample(x=random("float32", 3, 4, sizes="n, k")))
    runs = runs_of(tests, [torch.float32], ())
    assert {run.argument for run in runs if run.kind == "large"} == {"n", "k"}


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "count"), [(0.0, 1), (20.0, 2)])
def test_slow_kinds_are_drawn_once_when_the_time_is_over(seconds: float, count: int) -> None:
    tests = class_of(lambda x: x.sum(-1), Sample(x=random("float32", 3, 4, sizes="n, k")))
    drawn: list[DrawnCall] = []

    def compute(call: DrawnCall) -> str:
        drawn.append(call)
        return ""

    draws = Draws(0, lambda name, value: None, unwatched, seconds)
    slow = [run for run in runs_of(tests, [torch.float32], without=()) if run.kind == "large"]
    Search(tests, draws, compute, Tally()).run_all(slow)
    assert len({str(call.sizes) for call in drawn}) == count


def test_runs_without_some_kinds() -> None:
    tests = class_of(
        lambda x, mode: x.sum(-1), Sample(x=X, mode=fixed(1)), scalars=[scalar("mode", "int")]
    )
    kinds = [run.kind for run in runs_of(tests, [torch.float32], without=LAYOUTS)]
    assert not {*kinds} & {*LAYOUTS}
    assert {*kinds[-4:]} == {*SLOW}
    assert (kinds.count("scalar"), kinds.count("scalars")) == (1, 0)


def test_a_planned_call_that_fails_is_told_once() -> None:
    tests = class_of(three_scalars, Sample(x=X), scalars=SCALARS)
    draws = Draws(0, lambda name, value: None, unwatched)
    planned = Search(tests, draws, lambda drawn: "it is wrong", Tally())
    with pytest.raises(pytest.fail.Exception, match="it is wrong") as failure:
        planned.make_all([DrawnCall(tests.samples[0])])
    assert failure.value.__context__ is None  # pytest would print it first


def test_a_large_size_that_fails_is_told_as_a_smaller_one() -> None:
    sample = Sample(x=X)
    draws = Draws(0, lambda name, value: None, unwatched)

    def is_large(drawn: DrawnCall) -> str:
        return "it is wrong" if len(drawn.arguments()["x"]) > 256 else ""

    planned = Search(class_of(lambda x: x, sample), draws, is_large, Tally())
    with pytest.raises(pytest.fail.Exception, match=r"x float32\[266, 4\]: it is wrong"):
        planned.make_all([DrawnCall(sample, sizes={"n": 34_133}, kinds=["many"])])
