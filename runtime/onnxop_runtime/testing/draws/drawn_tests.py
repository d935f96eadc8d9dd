"""Tests of drawn calls: a kernel, its gradients and its exports against the reference, in what
samples do not say.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ...exporting.rules.opsets import standard
from ...mapping.problems import MappingError
from ...messages import join_words
from ...operator import reference
from ...verification.runners import ONNX_RUNTIME
from ..arguments import Arguments, each_tensor, floats_of, results_of, split
from ..base import OperatorTests, only_for, skip_without_gradient
from ..torch_settings import threads, unwritten_is_nan
from .calls.call import DrawnCall
from .calls.search import Search, runs_of
from .calls.tally import Refused, Tally
from .choices.draw_kinds import LAYOUTS, SLOW, DrawKind, dtypes_of
from .choices.literals import fixed_tensors
from .choices.pointwise import is_pointwise
from .judging.closeness import is_plain, rule_of_exports, rule_of_gradients, rule_of_results
from .judging.drawn_exports import Exports, without_spread
from .judging.drawn_gradients import gradients_of, some_of, without_bounds, without_meaningless
from .judging.expected import Expected, name_of_result
from .judging.limits import is_of_one_side
from .judging.oracle import expect
from .judging.other_roundings import masks_of_other_rounding
from .judging.refusals import is_limit, tables_of
from .judging.rounding import first_difference
from .judging.signs import signed_zeros, with_small
from .mapping_results import by_mapping, run_mapping
from .plans.planned_calls import calls_of_arguments, calls_of_mapping, rare_calls
from .plans.planned_changes import Dtypes

if TYPE_CHECKING:
    from ..plugin import Draws

_SHARE_FOR_ARGUMENTS = 0.4
"""The part of the time for the calls that each run makes of an operator's arguments."""
_SHARE_FOR_MAPPING = 0.2
"""The part of the time for the calls that each run makes of a mapping."""
_MORE_THREADS = 3
"""The threads that a large call has in addition."""
_CALLS_THAT_RACE = 4
"""How often a large call is made: threads that write to one place lose numbers in some calls only.
"""

_DIFFERS_BETWEEN_RUNS = (
    "the same call, made twice, has different results: an element is not written, or is written by "
    "two threads"
)

_DOES_NOT_FIT = re.compile(
    "must match the size|cannot be multiplied|out of bounds|out of range|Dimension specified as"
)
"""What PyTorch says of sizes and indices that do not fit."""
_HAS_NO_KERNEL = re.compile("NOT_IMPLEMENTED|not supported|[Uu]nsupported")
"""What ONNX Runtime says of a dtype that its kernels lack."""
_DOES_NOT_RESHAPE = re.compile("is invalid for input of size")
"""What PyTorch says of sizes that it cannot reshape to others."""


@dataclass(frozen=True)
class Planned:
    """Calls that each run makes, whatever its seed."""

    calls: Callable[[type[OperatorTests], Dtypes, int], Iterable[DrawnCall]]
    share: float
    """The part of the test's time that they may take."""
    compare: Callable[[DrawnCall], str]


class DrawnTests(OperatorTests):
    """Tests of drawn calls, for operators that have a reference."""

    @only_for(lambda tests: tests.operator.is_native and tests.operator.has_reference)
    def test_drawn_calls(self, draws: Draws) -> None:
        """Compare the kernel with the reference in float64."""
        tells_signs = is_pointwise(type(self))

        def compare(drawn: DrawnCall) -> str:
            return self._compare_results(drawn, tells_signs)

        planned = [Planned(calls_of_arguments, _SHARE_FOR_ARGUMENTS, compare)]
        self._search(draws, "calls", compare, planned=planned)

    @only_for(lambda tests: tests.differentiable and tests.operator.has_reference)
    @only_for(lambda tests: tests.operator.is_native)
    def test_drawn_gradients(self, draws: Draws) -> None:
        """Compare the gradients with those of the reference in float64: of all tensors, or of one
        alone.
        """

        def is_real(dtype: torch.dtype) -> bool:
            return dtype.is_floating_point

        self._search(
            draws,
            "gradients",
            self._compare_gradients,
            only=is_real,
            without=("equal", "mismatch"),
            planned=[Planned(calls_of_arguments, _SHARE_FOR_ARGUMENTS, self._compare_gradients)],
        )

    @only_for(lambda tests: tests.operator.has_reference or not tests.operator.is_own)
    @only_for(lambda tests: tests.operator.is_native or any(standard(tests.operator).values()))
    def test_drawn_exports(self, draws: Draws) -> None:
        """Compare ONNX Runtime, stock and with the package's library, with the reference in
        float64.
        """
        without: list[DrawKind] = [*SLOW, *LAYOUTS, "large scalar", "mismatch"]
        planned: list[Planned] = []
        if self.operator.is_native and self.operator.is_own and self.operator.rule is not None:
            # Each of these calls would be an export of its own, which takes as long as many calls.
            planned = [Planned(calls_of_mapping, _SHARE_FOR_MAPPING, self._compare_mapping)]
            without += ["rank", "length"]
        with tempfile.TemporaryDirectory() as folder:
            exports = Exports(type(self), Path(folder))
            self._search(
                draws,
                "exports",
                lambda drawn: self._compare_exports(drawn, exports),
                without=without,
                planned=planned,
            )

    # ---- Comparisons: what is wrong with a call, or "" ----

    def _compare_results(self, drawn: DrawnCall, tells_signs: bool) -> str:
        """Compare the results of a call, which must be the same when it is made again."""
        arguments = drawn.arguments()
        try:
            expected = self._expected(drawn, self._by_reference)
        except Refused as refusal:
            if fact := self._does_not_refuse(drawn, refusal):
                return fact
            raise
        before = each_tensor(arguments, torch.clone)
        rule = rule_of_results(drawn, arguments, tells_signs)
        for count in _thread_counts(drawn):
            with unwritten_is_nan(), threads(count):
                actual = results_of(self._call(drawn, arguments))
            difference = expected.difference(actual, rule)
            if difference:
                excused = self._excused(drawn, arguments, expected, actual)
                difference = expected.difference(actual, rule, excused=excused)
            elif tells_signs:
                difference = self._lost_sign(arguments, expected, actual)
            elif drawn.values == "infinities":
                difference = self._lost_infinity(arguments, expected, actual)
            if difference:
                return difference
        if not _are_same(before, arguments):
            return "the call changes a tensor that it only reads"
        if not _are_equal(results_of(self.function(**arguments)), actual):
            return _DIFFERS_BETWEEN_RUNS
        return ""

    def _compare_gradients(self, drawn: DrawnCall) -> str:
        """Compare the gradients of all tensors of a call, or of one alone."""
        # A gradient at a bound may be of either side; one of numbers far from 0 is a sum of
        # products that are as far, each with its own rounding.
        if drawn.is_at_bounds or drawn.values == "offset":
            drawn = replace(drawn, values="")
        arguments = drawn.arguments()
        differentiable = [*floats_of(arguments, self.differentiable)]
        names = some_of(differentiable, drawn.seed)

        def by_reference(arguments: Arguments) -> Any:
            return gradients_of(self._by_reference_with_gradient, arguments, names)

        expected = self._expected(drawn, by_reference, is_gradient=True)
        for count in _thread_counts(drawn):
            with unwritten_is_nan(), threads(count):
                actual = gradients_of(lambda a: self._call(drawn, a), arguments, names)
            difference = self._difference_of_gradients(drawn, names, expected, actual)
            if difference and len(names) < len(differentiable):
                return f"{difference}; no other gradient than of {join_words(names)} is asked for"
            if difference:
                return difference
        return ""

    def _difference_of_gradients(
        self,
        drawn: DrawnCall,
        names: Sequence[str],
        expected: Expected,
        actual: Sequence[Tensor],
    ) -> str:
        """Return the first difference of gradients of a call, of tensors with these names."""
        arguments = drawn.arguments()
        tensors = split(arguments)[0]
        compared = actual
        if not drawn.is_finite:
            is_nan = [tensors[name].isnan() for name in names]
            compared = without_meaningless(compared, expected.computed, is_nan)
        if _has_zero(self.values(arguments)):
            is_zero = [tensors[name] == 0 for name in names]
            compared = without_bounds(compared, expected.computed, is_zero)
        rule = rule_of_gradients(drawn, arguments)
        texts = [f"the gradient of {name}" for name in names]
        return expected.difference(compared, rule, texts)

    def _compare_exports(self, drawn: DrawnCall, exports: Exports) -> str:
        """Compare what each runtime computes of a call's export."""
        expected = self._expected_in_onnx(drawn)
        for runtime, results in exports.answers(drawn):
            rule = rule_of_exports(drawn, rounds_steps=runtime == ONNX_RUNTIME)
            # As 0 divided by a scalar of 0.
            may_be_nan = not drawn.is_finite or drawn.has_doubtful_scalars
            compared = without_spread(results, expected.computed) if may_be_nan else results
            difference = expected.difference(compared, rule)
            if difference and runtime == ONNX_RUNTIME and not is_plain(drawn):
                # ONNX Runtime's own kernels differ from ONNX in NaN, infinities, overflow and means
                # of nothing. The mapping is wrong if it is so by ONNX's definition, too.
                by_definition = exports.by_definition(drawn)
                if by_definition is None or not expected.difference(by_definition, rule):
                    continue
            if difference:
                return f"{runtime}: {difference}"
        return ""

    def _expected_in_onnx(self, drawn: DrawnCall) -> Expected:
        """Return what the reference computes of the results that ONNX has. Raise Refused if it, or
        the operator, refuses the call.
        """
        rounded = _rounded(self.values(drawn.arguments()))
        expected = self._expected(drawn, self.in_onnx(self._by_reference), rounded=rounded)
        with unwritten_is_nan():
            self._call(drawn, drawn.arguments())
        return expected

    def _compare_mapping(self, drawn: DrawnCall) -> str:
        """Compare what ONNX Runtime computes of a call's mapping, without an export."""
        expected = self._expected_in_onnx(drawn)
        if not is_plain(drawn):
            raise Refused
        try:
            results = run_mapping(type(self), drawn.arguments())
        except MappingError as error:
            raise Refused from error
        except Exception as error:
            if _HAS_NO_KERNEL.search(str(error)):
                raise Refused from error
            return f"{ONNX_RUNTIME} does not compute the mapping: {str(error).splitlines()[0]}"
        if drawn.has_doubtful_scalars:  # as 0 divided by a scalar of 0
            results = [*without_spread(results, expected.computed)]
        difference = expected.difference(results, rule_of_exports(drawn, rounds_steps=True))
        return f"the mapping, in {ONNX_RUNTIME}: {difference}" if difference else ""

    # ---- One call ----

    def _by_reference(self, arguments: Arguments) -> Any:
        operator = self.operator
        if not operator.has_reference:
            return self.function(**arguments)
        compute = (
            reference.compute_of(operator)
            if operator.elementwise
            else reference.as_written(operator)
        )
        assert compute is not None
        return compute(*self.values(arguments).values())

    def _by_reference_with_gradient(self, arguments: Arguments) -> Any:
        """Call the reference as it is written, in the call's own dtypes, as formulas of gradients
        compute. Skip the test if PyTorch has no gradient of it.
        """
        results = self.reference_as_written(**arguments)
        skip_without_gradient(results_of(results))
        return results

    def _expected(
        self,
        drawn: DrawnCall,
        compute: Callable[..., Any],
        *,
        is_gradient: bool = False,
        rounded: Arguments | None = None,
    ) -> Expected:
        """Return what the reference computes; raise Refused if it refuses the call."""
        try:
            arguments = drawn.arguments()
        except ValueError as error:
            raise Refused from error
        try:
            calls = [] if drawn.is_finite else drawn.finite(is_near=is_gradient)
            finite = [(one.arguments(), other.arguments()) for one, other in calls]
            with _one_thread_for_few(drawn):
                return expect(
                    compute,
                    arguments,
                    finite,
                    kinks=is_gradient,
                    at_bounds=drawn.is_at_bounds,
                    rounded=rounded,
                    largest_scalar=_largest_of(drawn),
                )
        except Exception as error:  # whatever PyTorch raises for arguments that do not fit
            raise Refused from error

    def _does_not_refuse(self, drawn: DrawnCall, refusal: Refused) -> str:
        """Return that the kernel computes a call of which the reference says that its sizes or
        indices do not fit; "" if it refuses, or may compute more than the reference.
        """
        text = str(refusal.__cause__)
        arguments = drawn.arguments()
        has_elements = all(tensor.numel() for tensor in split(arguments)[0].values())
        if drawn.ranks or drawn.before or drawn.ones or not has_elements:
            return ""
        # Sizes that the reference cannot reshape may be ones that a kernel takes in part.
        does_not_reshape = _DOES_NOT_RESHAPE.search(text) and self._is_refused_by_mapping(drawn)
        if not (_DOES_NOT_FIT.search(text) or does_not_reshape):
            return ""
        try:
            self.function(**arguments)
        except Exception:  # noqa: BLE001 - whatever a kernel raises
            return ""
        first = text.splitlines()[0]
        return f"the kernel computes a call that the reference refuses: {first}; let infer check it"

    def _is_refused_by_mapping(self, drawn: DrawnCall) -> bool:
        """Return whether the mapping computes the call with the sample's sizes, but not with its
        own.
        """
        with_its_sizes = replace(drawn, sizes={}, ranks={}, longer=None, lengths={})
        calls = (drawn.arguments(), with_its_sizes.arguments())
        refused, computed = (by_mapping(type(self), arguments) for arguments in calls)
        return refused is None and computed is not None

    def _call(self, drawn: DrawnCall, arguments: Arguments) -> Any:
        """Call the operator, which may refuse what the spec does not promise."""
        try:
            return self.function(**arguments)
        except Exception as error:
            tables = tables_of(type(self), drawn, error)
            is_excused = any(is_limit(type(self), table, drawn) for table in tables)
            if drawn.may_be_refused or is_excused:
                raise Refused(bool(tables)) from error
            remedy = "if it must, say so in an [[errors]] table"
            if tables:
                remedy = (
                    f"{remedy} of such a call: those with this text are of calls that the "
                    "reference refuses, too"
                )
            raise AssertionError(
                f"{self.operator} refuses a call that the reference computes: {error}; {remedy}"
            ) from error

    def _results(self, drawn: DrawnCall) -> tuple[Tensor, ...]:
        """Return the kernel's results of a call."""
        return results_of(self._call(drawn, drawn.arguments()))

    def _excused(
        self, drawn: DrawnCall, arguments: Arguments, expected: Expected, actual: Sequence[Tensor]
    ) -> list[Tensor]:
        """Return which results a right kernel may have otherwise than the reference: limits from
        one side of a zero, and, unless numbers are equal to bounds, those of another rounding.
        """
        excused = is_of_one_side(self._by_reference, drawn, actual, self._results)
        if drawn.is_at_bounds:
            return excused
        others = masks_of_other_rounding(self._by_reference, arguments, actual, expected.computed)
        return [one | other for one, other in zip(excused, others, strict=True)]

    def _lost_sign(self, arguments: Arguments, expected: Expected, actual: Sequence[Tensor]) -> str:
        """Return the first zero that lost its sign as a sentence, or "": one to which the
        reference, and the mapping if there is one, surely give a sign, and which has that sign if
        the kernel gets small numbers in place of zeros.
        """
        (result,), (computed,) = actual, expected.computed
        is_lost = (result == 0) & (computed == 0) & (result.signbit() != computed.signbit())
        if not bool(is_lost.any()):
            return ""
        is_lost &= signed_zeros(self._by_reference, self.values(arguments), computed)
        if (mapping_results := by_mapping(type(self), arguments)) is not None:
            is_lost &= mapping_results[0].signbit() == computed.signbit()
        try:
            with unwritten_is_nan():
                (result_of_small,) = results_of(self.function(**with_small(arguments)))
        except Exception:  # noqa: BLE001 - it may not compute in float32
            return ""
        is_lost &= (result_of_small != 0) & (result_of_small.signbit() == computed.signbit())
        return (
            f"the result {first_difference(is_lost, result, computed)}"
            if bool(is_lost.any())
            else ""
        )

    def _lost_infinity(
        self, arguments: Arguments, expected: Expected, actual: Sequence[Tensor]
    ) -> str:
        """Return the first infinity that the reference surely has, and the mapping if there is one,
        and the kernel has not, as a sentence; or "".
        """
        are_lost = [
            result.loses_infinity(tensor)
            for result, tensor in zip(expected.results, actual, strict=True)
        ]
        if not any(bool(is_lost.any()) for is_lost in are_lost):
            return ""
        mapping_results = by_mapping(type(self), arguments)
        if mapping_results is None and self.operator.rule is not None:
            return ""  # it may differ from the reference, too
        for place, (is_lost, tensor) in enumerate(zip(are_lost, actual, strict=True)):
            computed = expected.computed[place]
            if mapping_results is not None:
                is_lost = is_lost & (mapping_results[place] == computed)
            if bool(is_lost.any()):
                name = name_of_result(place, len(actual))
                return f"{name} {first_difference(is_lost, tensor, computed)}"
        return ""

    # ---- The search ----

    def _search(
        self,
        draws: Draws,
        what: str,
        compute: Callable[[DrawnCall], str],
        *,
        only: Callable[[torch.dtype], bool] = lambda dtype: True,
        without: Collection[DrawKind] = (),
        planned: Sequence[Planned] = (),
    ) -> None:
        """Make the planned calls; then draw calls of each dtype, of each kind but those without,
        and compute them.
        """
        tests, tally = type(self), Tally()
        dtypes: list[torch.dtype | None] = [d for d in dtypes_of(tests) if only(d)] or [None]
        search = Search(tests, draws, compute, tally)
        search.make_all(rare_calls(tests, dtypes))
        for group in planned:
            is_same = group.compare == compute
            group_search = search if is_same else Search(tests, draws, group.compare, tally)
            calls = group.calls(tests, dtypes, draws.seed)
            group_search.make_some(calls, share=group.share)
        search.run_all(runs_of(tests, dtypes, without))
        search.make_samples_in(tally.refused_dtypes(dtypes))
        counts = str(tally)
        if fixed := fixed_tensors(tests):
            counts += f"; {join_words(fixed)} only as in the samples, which give values"
        draws.add(str(self.operator), what, counts)
        tally.check(f"{self.operator}: {what}")


def _rounded(arguments: Arguments) -> Arguments:
    """Return the numbers that nodes have in float32, as float32 has them, if it has others."""
    floats = {name: value for name, value in arguments.items() if isinstance(value, float)}
    rounded = {name: float(torch.tensor(value)) for name, value in floats.items()}
    return {name: value for name, value in rounded.items() if value != floats[name]}


def _largest_of(drawn: DrawnCall) -> float:
    """Return the largest float of a call that has one of another magnitude than the sample's."""
    if "large scalar" not in drawn.kinds:
        return 1.0
    floats = [abs(value) for value in drawn.scalars.values() if isinstance(value, float)]
    return max(floats, default=1.0)


def _has_zero(arguments: Arguments) -> bool:
    """Return whether a number of a call is 0, which may be a bound of its tensors."""
    numbers = [value for value in arguments.values() if isinstance(value, int | float)]
    return any(number == 0 and not isinstance(number, bool) for number in numbers)


def _thread_counts(drawn: DrawnCall) -> list[int]:
    """Return the numbers of threads to call with, one after the other: the process's, and for a
    large call this several times and another, too.
    """
    count = torch.get_num_threads()
    if not {*SLOW} & {*drawn.kinds}:
        return [count]
    return [count] * _CALLS_THAT_RACE + [count + _MORE_THREADS]


def _one_thread_for_few(drawn: DrawnCall) -> AbstractContextManager[None]:
    """Compute with one thread what is not large: to wait for another takes longer than most
    references, and much longer on a busy machine.
    """
    return nullcontext() if {*SLOW} & {*drawn.kinds} else threads(1)


def _are_same(one: Arguments, other: Arguments) -> bool:
    """Return whether the tensors among arguments have the same bytes."""
    pairs = zip(split(one)[0].values(), split(other)[0].values(), strict=True)
    return all(torch.equal(_bytes_of(a), _bytes_of(b)) for a, b in pairs)


def _bytes_of(tensor: Tensor) -> Tensor:
    copy = tensor.detach().clone(memory_format=torch.contiguous_format)
    return copy.reshape(-1).view(torch.uint8)


def _are_equal(results: Sequence[Tensor], others: Sequence[Tensor]) -> bool:
    """Return whether results are equal, NaN to NaN."""
    return all(
        a.shape == b.shape and torch.allclose(a, b, 0.0, 0.0, equal_nan=True)
        for a, b in zip(results, others, strict=True)
    )
