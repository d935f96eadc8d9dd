"""Draws of each dtype and each kind in a test's time -> the smallest call that fails.

Hypothesis draws the calls from a seed, which the run prints.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from unittest import SkipTest

import pytest
import torch

from ...base import OperatorTests
from ..choices.draw_kinds import HALVES, SLOW, DrawKind, arguments_of, kinds_of
from ..choices.literals import samples_to_draw
from .call import DrawnCall
from .simpler import simpler_calls
from .tally import Refused, Tally

if TYPE_CHECKING:
    from ...plugin import Draws

_EXAMPLES = 12
"""The most calls of each dtype, and of each kind of draw, in the usual time."""
_LEAST = 2
"""The calls of each dtype and kind when the time is over."""
_MOST_OF_KIND: dict[DrawKind | Literal[""], int] = {"large": 1, "many": 1, "long": 2}
"""The most calls of kinds that take long: of "large" and "many" for each size."""
_SECONDS_TO_SHRINK = 4.0
"""The time to look for a smaller call that fails."""
_SECONDS_TO_SIMPLIFY = 2.0
"""The time to look for one with fewer changes."""
_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
_DTYPES_OF_OWN: dict[DrawKind, tuple[tuple[torch.dtype, ...], ...]] = {
    "large": (HALVES,),
    "many": (HALVES,),
    "extremes": ((torch.float64,), _INTEGERS),
}
"""The dtypes that have draws of a kind of their own: sums of 16 bits, numbers beyond float32, and
large integers.
"""
_PASSES_LATER = (
    "the same call, made again, gives another result: the kernel keeps something between calls, or "
    "reads memory that it did not write"
)
_FAILS_LATER = (
    "passes at first, and fails after this call: the kernel keeps something between calls"
)


@dataclass(frozen=True)
class Run:
    """Draws of some dtypes: of one kind, and of one argument, if there are any."""

    dtypes: Sequence[torch.dtype | None]
    kind: DrawKind | Literal[""] = ""
    argument: str = ""


def runs_of(
    tests: type[OperatorTests], dtypes: Sequence[torch.dtype | None], without: Collection[DrawKind]
) -> list[Run]:
    """Return the runs of an operator: of each dtype, and of each kind but those without; the
    slowest last, for which others do not wait.
    """
    dtypes_of_kind: dict[DrawKind, set[torch.dtype | None]] = {}
    for sample in samples_to_draw(tests):
        for dtype in dtypes:
            for kind in kinds_of(tests, sample, dtype):
                dtypes_of_kind.setdefault(kind, set()).add(dtype)
    runs = [Run([dtype]) for dtype in dtypes]
    for kind, possible in dtypes_of_kind.items():
        if kind not in without:
            runs += _runs_of_kind(tests, kind, [dtype for dtype in dtypes if dtype in possible])
    return sorted(runs, key=lambda run: run.kind in SLOW)


def _runs_of_kind(
    tests: type[OperatorTests], kind: DrawKind, dtypes: Sequence[torch.dtype | None]
) -> list[Run]:
    """Return the runs of a kind: one for each argument that it changes, or one for the dtypes that
    it tells most of.
    """
    samples = samples_to_draw(tests)
    names = dict.fromkeys(n for sample in samples for n in arguments_of(tests, sample, kind))
    groups = _DTYPES_OF_OWN.get(kind, ())
    others = [dtype for dtype in dtypes if not any(dtype in group for group in groups)]
    parts: list[list[torch.dtype | None]] = [others]
    parts += [[dtype for dtype in dtypes if dtype in group] for group in groups]
    return [Run(part, kind, name) for part in parts if part for name in names or [""]]


class _TimeIsOver(SkipTest):
    """Ends the draws of a run: Hypothesis passes on what skips a test."""


class Search:
    """A search for a call that fails."""

    def __init__(
        self,
        tests: type[OperatorTests],
        draws: Draws,
        compute: Callable[[DrawnCall], str],
        tally: Tally,
    ) -> None:
        self._tests, self._draws, self._compute, self._tally = tests, draws, compute, tally
        self._end = time.thread_time() + draws.seconds
        self._smallest: DrawnCall | None = None
        self._failure = ""
        self._first: DrawnCall | None = None
        self._before = ""
        self._note = ""

    def make_all(self, calls: Iterable[DrawnCall]) -> None:
        """Make these calls, and fail with a simpler one than the first that fails."""
        for number, drawn in enumerate(calls):
            self._make(drawn)
            if number == 0:  # modules that it imports do not take the time of others
                self._end = time.thread_time() + self._draws.seconds

    def make_samples_in(self, dtypes: Iterable[torch.dtype]) -> None:
        """Make the samples' own calls in these dtypes: of those that were drawn in little time, all
        may have had sizes or numbers that the reference refuses.
        """
        for dtype in dtypes:
            for sample in self._tests.samples:
                self._make(DrawnCall(sample, dtype=dtype))

    def make_some(self, calls: Iterable[DrawnCall], *, share: float) -> None:
        """Make these calls in a share of the time that is left; fail as `make_all` does."""
        now = time.thread_time()
        end = now + share * max(self._end - now, 0.0)
        for drawn in calls:
            if time.thread_time() > end:
                break
            self._make(drawn)

    def _make(self, drawn: DrawnCall) -> None:
        """Make a call, and fail with a simpler one if it fails."""
        if self._fails(drawn):
            self._simplify()
            self._fail(self._failure_with_note())

    def run_all(self, runs: Sequence[Run]) -> None:
        """Draw the calls of runs, which share the time, and fail with the smallest one that fails.
        When it is over, slow kinds are drawn once, and not for each size.
        """
        made: set[str] = set()
        for number, run in enumerate(runs):
            is_over = time.thread_time() > self._end
            if is_over and run.kind in SLOW and run.kind in made:
                continue
            made.add(run.kind)
            self._run(run, share=1 / (len(runs) - number))

    def _run(self, run: Run, *, share: float) -> None:
        """Draw the calls of a run in a share of the time that is left, and fail with the smallest
        one that fails.
        """
        import hypothesis

        from .strategies import drawn_calls

        now = time.thread_time()
        end = now + share * max(self._end - now, 0.0)
        most_calls = _MOST_OF_KIND.get(run.kind, _EXAMPLES) * self._draws.times
        count = 0

        @hypothesis.seed(self._draws.seed)
        @hypothesis.settings(
            max_examples=most_calls,
            deadline=None,
            database=None,
            derandomize=False,
            suppress_health_check=[*hypothesis.HealthCheck],
            phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
            print_blob=False,
            report_multiple_bugs=False,
        )
        @hypothesis.given(drawn_calls(self._tests, run.dtypes, run.kind, run.argument))
        def try_call(drawn: DrawnCall) -> None:
            nonlocal count
            count += 1
            if self._smallest is None and count > _LEAST and time.thread_time() > end:
                raise _TimeIsOver("the time of the run is over")
            is_over = self._smallest is not None and time.thread_time() > self._end
            if not is_over or drawn == self._smallest:
                self._try(drawn)

        failure = ""
        try:
            try_call()
        except _TimeIsOver:
            pass
        except AssertionError:
            self._simplify()
            failure = self._failure_with_note()
        except hypothesis.errors.Flaky:
            if not self._failure:  # no call of the operator failed
                raise
            self._note = self._note or _PASSES_LATER
            failure = self._failure_with_note()
        if failure:
            self._fail(failure)

    def _failure_with_note(self) -> str:
        """Return the failure, with what its call has to do with others."""
        return f"{self._failure}; {self._note}" if self._note else self._failure

    def _fail(self, failure: str) -> None:
        pytest.fail(f"{self._tests.operator}: {failure}", pytrace=False)

    def _simplify(self) -> None:
        """Look for a call that fails with fewer changes than the smallest one."""
        end = time.thread_time() + _SECONDS_TO_SIMPLIFY
        is_simpler = self._smallest is not None and not self._note
        while is_simpler and self._smallest is not None and time.thread_time() < end:
            is_simpler = any(map(self._fails, simpler_calls(self._smallest)))

    def _fails(self, drawn: DrawnCall) -> bool:
        try:
            self._try(drawn)
        except AssertionError:
            return True
        return False

    def _try(self, drawn: DrawnCall) -> None:
        try:
            text = drawn.shown(drawn.arguments())
        except ValueError:  # a size that is computed from others would be negative
            return
        again = f"(--draws-seed={self._draws.seed} draws it again)"
        try:
            with self._draws.watch(f"{self._tests.operator}: the drawn call {text} {again}"):
                fact = self._fact_of(drawn)
        except Refused as refusal:
            self._tally.refuse(drawn, refusal)
            return
        if fact:
            if self._smallest is None:
                self._note = self._note_on_calls_before(drawn)
                self._end = time.thread_time() + (0.0 if self._note else _SECONDS_TO_SHRINK)
            self._smallest = drawn
            self._failure = f"{text}: {fact} {again}"
            raise AssertionError(self._failure)
        self._first = self._first or drawn
        self._before = text
        self._tally.add(drawn)

    def _fact_of(self, drawn: DrawnCall) -> str:
        """Return what is wrong with a call, or ""; raise Refused if it is refused."""
        try:
            return self._compute(drawn)
        except Refused:
            raise
        except AssertionError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - whatever an exporter or a runtime raises
            return f"{type(error).__name__}: {error}"

    def _note_on_calls_before(self, drawn: DrawnCall) -> str:
        """Return that a call which fails passes when it is made again, or that the first call,
        which passed, fails now; "" if neither is so.
        """
        try:
            if not self._fact_of(drawn):
                after = f" (it was made after {self._before})" if self._before else ""
                return f"{_PASSES_LATER}{after}"
            if self._first is not None and self._fact_of(self._first):
                return f"{self._first.shown(self._first.arguments())} {_FAILS_LATER}"
        except Refused:
            pass
        return ""
