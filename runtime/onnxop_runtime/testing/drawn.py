"""Tests of drawn calls: a kernel, its gradients and its exports against the reference, in what samples do not say.

Hypothesis draws the calls from a seed, which the run prints, and tells the smallest one that fails.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch import Tensor

from ..exporting.domain_nodes.missing_kernels import NoKernelWarning
from ..exporting.rules.opsets import NODES, standard
from ..messages import join_words
from ..operator import reference
from ..torch_internals import cache_exporter_tables
from ..verification.comparison import TOLERANCES
from ..verification.runners import NATIVE, ONNX_RUNTIME, REFERENCE, Runners, as_array
from .arguments import (
    Arguments,
    assert_same,
    each_tensor,
    floating,
    floats_of,
    results_of,
    split,
    with_tensors,
)
from .base import OperatorTests, only_for, skip_without_gradient
from .oracle import Kind, Rule, expect
from .roundtrips import model_of
from .samples import Sample
from .torch_settings import threads, unwritten_is_nan

if TYPE_CHECKING:
    from .draws import Drawn
    from .plugin import Draws

_SECONDS = 4.0
"""The CPU time of an operator's test of drawn calls, which its dtypes and kinds of draws share: other processes do not
take from it."""
_EXAMPLES = 12
"""The most calls of each dtype, and of each kind of draw."""
_LEAST = 2
"""The calls of each dtype and kind when the time is over."""
_MOST_OF_KIND = {"large": 1, "many": 1, "long": 2}
"""The most calls of kinds that take long: of "many" for each size."""
_SECONDS_TO_SHRINK = 4.0
"""The time to look for a smaller call that fails."""

_MORE_THREADS = 3
"""The threads that a large call has in addition."""

_HALVES = (torch.float16, torch.bfloat16)
_DTYPES_OF_OWN = {"large": _HALVES, "extremes": (torch.float64,)}
"""The dtypes that have draws of a kind of their own: sums of 16 bits, and numbers beyond float32."""


class Refused(Exception):
    """A call, or its export, is refused for a reason that the reference or the spec gives.

    ``is_said``: an ``[[errors]]`` table gives it.
    """

    def __init__(self, is_said: bool = False) -> None:
        super().__init__()
        self.is_said = is_said


class Tally:
    """The calls that one test has drawn, by dtype and by kind of draw."""

    def __init__(self) -> None:
        self.computed: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()

    def add(self, drawn: Drawn) -> None:
        """Count a call that was compared."""
        dtype = [] if drawn.dtype is None else [_name(drawn.dtype)]
        self.computed.update(["calls", *drawn.kinds, *dtype])

    def refuse(self, drawn: Drawn, refusal: Refused) -> None:
        """Count a call that was refused: of its dtype, and of its kinds if an ``[[errors]]`` table says so, and
        not because of sizes that the spec need not support.
        """
        dtype = [] if drawn.dtype is None else [_name(drawn.dtype)]
        is_of_kind = refusal.is_said and not drawn.is_bound
        self.refused.update([*dtype, *(drawn.kinds if is_of_kind else ())])

    def check(self, what: str) -> None:
        """Fail if no call of a dtype or kind was compared, unless sizes and scalars may be refused."""
        for name, count in self.refused.items():
            is_many = count >= _EXAMPLES // 2  # else the time was over
            if (
                is_many
                and not self.computed[name]
                and name not in ("empty", "scalar", "scalars", "large scalar")
            ):
                pytest.fail(
                    f"{what}: each of {count} drawn calls of {name} is refused, so that nothing was compared; "
                    "support them, or take the dtype from Supported",
                    pytrace=False,
                )

    def __str__(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in self.computed.items())


class DrawnTests(OperatorTests):
    """Tests of drawn calls, for operators that have a reference."""

    @only_for(lambda tests: tests.operator.is_native and tests.operator.has_reference)
    def test_drawn_calls(self, draws: Draws) -> None:
        """Compare the kernel with the reference in float64."""
        is_pointwise = _is_pointwise(type(self))

        def compute(drawn: Drawn) -> str:
            expected = self._expected(drawn, self._by_reference)
            arguments = drawn.arguments()
            before = each_tensor(arguments, torch.clone)
            rule = Rule(
                pointwise=is_pointwise,
                terms=1 if is_pointwise else _most_elements(arguments),
                overflow=drawn.values == "extremes" and not is_pointwise,
            )
            for count in _thread_counts(drawn):
                with unwritten_is_nan(), threads(count):
                    actual = results_of(self._called(drawn, arguments))
                difference: str = expected.difference(actual, rule)
                if difference:
                    return difference
            if not _are_same(before, arguments):
                return "the call changes a tensor that it only reads"
            assert_same(results_of(self.function(**arguments)), actual)
            return ""

        self._search(draws, "calls", compute)

    @only_for(lambda tests: tests.differentiable and tests.operator.has_reference)
    @only_for(lambda tests: tests.operator.is_native)
    def test_drawn_gradients(self, draws: Draws) -> None:
        """Compare the gradients with those of the reference in float64: of all tensors, or of one alone."""

        def compute(drawn: Drawn) -> str:
            arguments = drawn.arguments()
            names = _some([*floats_of(arguments, self.differentiable)], drawn.seed)

            def by_reference(arguments: Arguments) -> Any:
                return _gradients(self._by_reference_with_gradient, arguments, names)

            expected = self._expected(drawn, by_reference, kinks=True)
            with unwritten_is_nan():
                actual = _gradients(lambda a: self._called(drawn, a), arguments, names)
            tensors = split(arguments)[0]
            is_nan = [tensors[name].isnan() for name in names]
            compared = actual if drawn.is_finite else _forgiven(actual, expected.own, is_nan)
            difference: str = expected.difference(compared, _rule_of_gradients(drawn, arguments))
            return difference

        self._search(draws, "gradients", compute, only=lambda dtype: dtype.is_floating_point)

    @only_for(lambda tests: tests.operator.has_reference or not tests.operator.is_own)
    @only_for(lambda tests: tests.operator.is_native or any(standard(tests.operator).values()))
    def test_drawn_exports(self, draws: Draws) -> None:
        """Compare ONNX Runtime, stock and with the package's library, with the reference in float64."""
        from .draws import SLOW

        with tempfile.TemporaryDirectory() as folder:
            exports = Exports(type(self), Path(folder))

            def compute(drawn: Drawn) -> str:
                expected = self._expected(drawn, self.in_onnx(self._by_reference))
                with unwritten_is_nan():
                    self._called(drawn, drawn.arguments())
                for runtime, actual in exports.answers(drawn):
                    rule = Rule(
                        _looser,
                        overflow=_may_overflow(drawn),
                        rounds_steps=runtime == ONNX_RUNTIME,
                    )
                    # As 0 divided by a scalar of 0.
                    may_be_nan = not drawn.is_finite or drawn.may_refuse
                    compared = _without_spread(actual, expected.own) if may_be_nan else actual
                    difference = expected.difference(compared, rule)
                    if difference and runtime == ONNX_RUNTIME and not _is_plain(drawn):
                        # ONNX Runtime's own kernels differ from ONNX in NaN, infinities, overflow and means of
                        # nothing. The mapping is wrong if it is so by ONNX's definition, too.
                        by_definition = exports.by_definition(drawn)
                        if by_definition is None or not expected.difference(by_definition, rule):
                            continue
                    if difference:
                        return f"{runtime}: {difference}"
                return ""

            self._search(draws, "exports", compute, without=(*SLOW, "large scalar"))

    # ---- One call ----

    def _by_reference(self, arguments: Arguments) -> Any:
        operator = self.operator
        if not operator.has_reference:
            return self.function(**arguments)
        compute = reference.of(operator) if operator.elementwise else reference.as_written(operator)
        assert compute is not None
        return compute(*self.values(arguments).values())

    def _by_reference_with_gradient(self, arguments: Arguments) -> Any:
        """Call the reference in 16 bits, too, in which formulas of gradients compute. Skip the test if PyTorch has
        no gradient of it.
        """
        results = reference.as_written(self.operator)(*self.values(arguments).values())
        skip_without_gradient(results_of(results))
        return results

    def _expected(self, drawn: Drawn, compute: Callable[..., Any], **options: Any) -> Any:
        try:
            arguments = drawn.arguments()
        except ValueError as error:
            raise Refused from error
        try:
            finite = [] if drawn.is_finite else [other.arguments() for other in drawn.finite()]
            return expect(compute, arguments, finite, **options)
        except Exception as error:  # whatever PyTorch raises for arguments that do not fit
            raise Refused from error

    def _called(self, drawn: Drawn, arguments: Arguments) -> Any:
        """Call the operator, which may refuse what the spec does not promise."""
        try:
            return self.function(**arguments)
        except Exception as error:
            text = str(error)
            is_said = any(isinstance(error, e.raises) and _says(e.match, text) for e in self.errors)
            if drawn.is_bound or is_said:
                raise Refused(is_said) from error
            raise AssertionError(
                f"{self.operator} refuses a call that the reference computes: {text}; if it must, say so in an "
                "[[errors]] table"
            ) from error

    # ---- The search ----

    def _search(
        self,
        draws: Draws,
        what: str,
        compute: Callable[[Drawn], str],
        *,
        only: Callable[[torch.dtype], bool] = lambda dtype: True,
        without: Sequence[str] = (),
    ) -> None:
        """Draw calls of each dtype, and of each kind, and compute them."""
        from .draws import LAYOUTS, SLOW, dtypes_of, kinds_of
        from .literals import fixed_tensors, samples_to_draw

        tests, tally = type(self), Tally()
        dtypes: list[torch.dtype | None] = [d for d in dtypes_of(tests) if only(d)] or [None]
        dtypes_of_kind: dict[str, set[torch.dtype | None]] = {}
        for sample in samples_to_draw(tests):
            for dtype in dtypes:
                for kind in kinds_of(tests, sample, dtype):
                    dtypes_of_kind.setdefault(kind, set()).add(dtype)
        if what == "exports":
            without = (*without, *LAYOUTS)
        search = Search(tests, draws, compute, tally)
        runs = [Run([dtype]) for dtype in dtypes]
        for kind in (k for k in dtypes_of_kind if k not in without):
            fitting = [dtype for dtype in dtypes if dtype in dtypes_of_kind[kind]]
            runs += _runs_of(tests, kind, fitting)
        runs.sort(key=lambda run: run.kind in SLOW)  # others do not wait for the slowest
        for place, run in enumerate(runs):
            search.run(run, share=1 / (len(runs) - place))
        counts = str(tally)
        if fixed := fixed_tensors(tests):
            counts += f"; {join_words(fixed)} only as in the samples, which give values"
        draws.add(str(self.operator), what, counts)
        tally.check(f"{self.operator}: {what}")


@dataclass(frozen=True)
class Run:
    """Draws of some dtypes: of one kind, and of one argument, if there are any."""

    dtypes: Sequence[torch.dtype | None]
    kind: str = ""
    argument: str = ""


def _runs_of(
    tests: type[OperatorTests], kind: str, dtypes: Sequence[torch.dtype | None]
) -> list[Run]:
    """Return the runs of a kind: one for each argument that it changes, or one for the dtypes that it tells most of."""
    from .draws import arguments_of
    from .literals import samples_to_draw

    samples = samples_to_draw(tests)
    names = dict.fromkeys(n for sample in samples for n in arguments_of(tests, sample, kind))
    if names:
        return [Run(dtypes, kind, name) for name in names]
    of_own = _DTYPES_OF_OWN.get(kind, ())
    with_own = [dtype for dtype in dtypes if dtype in of_own]
    others = [dtype for dtype in dtypes if dtype not in of_own]
    return [Run(part, kind) for part in (others, with_own) if part]


class Search:
    """A search for a call that fails."""

    def __init__(
        self,
        tests: type[OperatorTests],
        draws: Draws,
        compute: Callable[[Drawn], str],
        tally: Tally,
    ) -> None:
        self._tests, self._draws, self._compute, self._tally = tests, draws, compute, tally
        self._end = time.thread_time() + _SECONDS
        self._smallest: Drawn | None = None

    def run(self, run: Run, *, share: float) -> None:
        """Draw the calls of a run in a share of the time that is left, and fail with the smallest one that fails."""
        import hypothesis

        from .draws import drawn_calls

        now = time.thread_time()
        end = now + share * max(self._end - now, 0.0)
        count = 0

        @hypothesis.seed(self._draws.seed)
        @hypothesis.settings(
            max_examples=_MOST_OF_KIND.get(run.kind, _EXAMPLES),
            deadline=None,
            database=None,
            derandomize=False,
            suppress_health_check=[*hypothesis.HealthCheck],
            phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
            print_blob=False,
            report_multiple_bugs=False,
        )
        @hypothesis.given(drawn_calls(self._tests, run.dtypes, run.kind, run.argument))
        def try_call(drawn: Drawn) -> None:
            nonlocal count
            count += 1
            if self._smallest is not None:
                is_over = time.thread_time() > self._end and drawn != self._smallest
            else:
                is_over = time.thread_time() > end and count > _LEAST
            if not is_over:
                self._try(drawn)

        failure = ""
        try:
            try_call()
        except AssertionError as error:
            failure = f"{self._tests.operator}: {error}"
        if failure:
            pytest.fail(failure, pytrace=False)

    def _try(self, drawn: Drawn) -> None:
        try:
            text = drawn.shown(drawn.arguments())
        except ValueError:  # a size that is computed from others would be negative
            return
        again = f"(--draws-seed={self._draws.seed} draws it again)"
        try:
            with self._draws.watch(f"{self._tests.operator}: the drawn call {text} {again}"):
                fact = self._compute(drawn)
        except Refused as refusal:
            self._tally.refuse(drawn, refusal)
            return
        except AssertionError as error:
            fact = str(error)
        except Exception as error:  # noqa: BLE001 - whatever an exporter or a runtime raises
            fact = f"{type(error).__name__}: {error}"
        if fact:
            if self._smallest is None:
                self._end = time.thread_time() + _SECONDS_TO_SHRINK
            self._smallest = drawn
            raise AssertionError(f"{text}: {fact} {again}")
        self._tally.add(drawn)


# ---- Gradients ----


def _gradients(
    call: Callable[[Arguments], Any], arguments: Arguments, names: Sequence[str]
) -> tuple[Tensor, ...]:
    """Return the gradients of a weighted sum of the results, by weights that every dtype has."""
    leaves = {name: tensor for name, tensor in split(arguments)[0].items() if name in names}
    leaves = {name: tensor.detach().requires_grad_() for name, tensor in leaves.items()}
    results = [r for r in floating(call(with_tensors(arguments, leaves))) if r.requires_grad]
    if not (results and leaves):
        return tuple(torch.zeros_like(leaf) for leaf in leaves.values())
    weights = [
        ((torch.arange(r.numel(), dtype=torch.float32) % 7 - 2.5) / 4).to(r.dtype).reshape(r.shape)
        for r in results
    ]
    return tuple(torch.autograd.grad(results, [*leaves.values()], weights, materialize_grads=True))


def _some(names: Sequence[str], seed: int) -> Sequence[str]:
    """Return all names, or one alone."""
    chosen = seed % (len(names) + 1)
    return [names[chosen - 1]] if chosen else names


def _without_spread(actual: Sequence[Tensor], reference: Sequence[Tensor]) -> Sequence[Tensor]:
    """Return results of a runtime with the reference's finite ones in place of NaN: nodes multiply what the reference
    leaves out by zero.
    """
    if [one.shape for one in actual] != [other.shape for other in reference]:
        return actual
    return [
        torch.where(one.isnan() & other.isfinite(), other.to(one.dtype), one)
        for one, other in zip(actual, reference, strict=True)
    ]


def _forgiven(
    actual: Sequence[Tensor], reference: Sequence[Tensor], is_nan: Sequence[Tensor]
) -> list[Tensor]:
    """Return gradients with the reference's where these mean nothing: finite ones at inputs that are NaN, which a
    comparison with NaN chose, and zeros in place of NaN, as zero times NaN or infinity is.
    """
    replaced = []
    for one, of_reference, at_nan in zip(actual, reference, is_nan, strict=True):
        is_chosen = at_nan & of_reference.isfinite()
        is_masked = one.isnan() & (of_reference == 0)
        replaced.append(torch.where(is_chosen | is_masked, of_reference, one))
    return replaced


def _rule_of_gradients(drawn: Drawn, arguments: Arguments) -> Rule:
    """Return what of the reference's gradients means something. Autograd makes NaN of products of zero and infinity,
    where a formula has none; so NaN counts only where it comes from NaN in the call.
    """
    only: dict[str, Sequence[Kind]] = {
        "NaN": ("finite", "NaN"),
        "infinities": ("finite", "infinite"),
    }
    return Rule(
        only=only.get(drawn.values, ("finite",)),
        terms=_most_elements(arguments),
        overflow=_may_overflow(drawn),
    )


# ---- Calls ----


def _thread_counts(drawn: Drawn) -> list[int]:
    """Return the numbers of threads to call with: the process's, and for a large call another, too."""
    count = torch.get_num_threads()
    is_large = "large" in drawn.kinds or "long" in drawn.kinds
    return [count, count + _MORE_THREADS] if is_large else [count]


def _are_same(one: Arguments, other: Arguments) -> bool:
    """Return whether tensors are bitwise equal, NaN equals NaN."""
    pairs = zip(split(one)[0].values(), split(other)[0].values(), strict=True)
    return all(torch.allclose(a, b, 0.0, 0.0, equal_nan=True) for a, b in pairs)


def _most_elements(arguments: Arguments) -> int:
    return max((tensor.numel() for tensor in split(arguments)[0].values()), default=1)


def _may_overflow(drawn: Drawn) -> bool:
    """Return whether a call, or a step of it in 16 bits, may overflow."""
    is_wide = drawn.values == "wide" and drawn.dtype in _HALVES
    has_other_scalar = bool({"scalar", "scalars"} & {*drawn.kinds})
    may_be_large = has_other_scalar and drawn.dtype == torch.float16
    return is_wide or may_be_large or drawn.values == "extremes"


def _is_pointwise(tests: type[OperatorTests]) -> bool:
    """Return whether the reference computes each element of one result from one element of the first tensor, so
    that the sign of a zero means something. Of a sum it does not.
    """
    arguments = tests.samples[0].arguments()
    name, first = next(iter(split(arguments)[0].items()), ("", torch.empty(0)))
    if not (first.is_floating_point() and first.numel() > 1):
        return False
    before = results_of(tests.reference(**arguments))
    changed = first.clone()
    changed.view(-1)[-1] += 0.5
    after = results_of(tests.reference(**with_tensors(arguments, {name: changed})))
    if len(before) > 1 or before[0].shape != first.shape or not before[0].is_floating_point():
        return False
    return int((before[0] != after[0]).sum()) <= 1


def _says(pattern: str, text: str) -> bool:
    """Return whether an error's pattern matches a message, in which sizes may be others."""
    if not pattern:
        return False
    with contextlib.suppress(re.error):
        if re.search(re.sub(r"\d+", "0", pattern), re.sub(r"\d+", "0", text)):
            return True
    return re.search(pattern, text) is not None


def _is_plain(drawn: Drawn) -> bool:
    """Return whether a call has elements, and none overflows."""
    tensors = split(drawn.arguments())[0].values()
    return (
        drawn.is_finite and not _may_overflow(drawn) and all(tensor.numel() for tensor in tensors)
    )


def _looser(dtype: torch.dtype) -> tuple[float, float]:
    """Return the allowed errors of runtimes; numbers in nodes are float32."""
    return TOLERANCES.get("float32" if dtype == torch.float64 else _name(dtype), (0.0, 0.0))


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


# ---- Exports ----


class Exports:
    """The exports of an operator's calls: one for each sample, and for each change that a file fixes."""

    def __init__(self, tests: type[OperatorTests], folder: Path) -> None:
        self._tests, self._folder = tests, folder
        self._runners: dict[str, Runners | Refused] = {}

    def answers(self, drawn: Drawn) -> Iterator[tuple[str, tuple[Tensor, ...]]]:
        """Yield the results of ONNX Runtime, stock and with the package's library."""
        runners, feeds = self._fed(drawn)
        has_elements = all(array.size for array in feeds.values())
        for runtime in (ONNX_RUNTIME, NATIVE):
            if runtime not in runners.run:
                continue
            try:
                outputs = runners.run[runtime](feeds)
            except Exception:
                # Many of ONNX Runtime's own kernels, as its GroupNormalization, refuse tensors without elements.
                if runtime == ONNX_RUNTIME and not has_elements:
                    continue
                raise
            yield runtime, tuple(map(_as_tensor, outputs))

    def by_definition(self, drawn: Drawn) -> tuple[Tensor, ...] | None:
        """Return the results of onnx.reference; None if it does not compute the file."""
        runners, feeds = self._fed(drawn)
        if REFERENCE not in runners.run:
            return None
        try:
            with warnings.catch_warnings(action="ignore"):  # numpy's, of NaN
                return tuple(map(_as_tensor, runners.run[REFERENCE](feeds)))
        except Exception:  # noqa: BLE001 - it computes some ops in part
            return None

    def _fed(self, drawn: Drawn) -> tuple[Runners, dict[str, Any]]:
        """Return the file of a call, and its inputs."""
        arguments = drawn.arguments()
        _, tensors = model_of(self._tests, arguments)
        runners = self._exported(drawn, arguments)
        names = [*split(arguments)[0]]
        arrays = {name: as_array(t.contiguous()) for name, t in zip(names, tensors, strict=True)}
        return runners, {name: arrays[name] for name in runners.inputs}

    def _exported(self, drawn: Drawn, arguments: Arguments) -> Runners:
        base = _with_sizes_of(drawn.sample)
        shapes = {name: tensor.shape for name, tensor in split(arguments)[0].items()}
        axes = {name: dims for name, dims in drawn.sample.axes().items() if name in shapes}
        is_fixed = bool(drawn.lengths) or any(
            _has_other_sizes(shape, base[name], axes.get(name, {}))
            for name, shape in shapes.items()
        )
        key = f"{id(drawn.sample)} {drawn.dtype} {drawn.scalars} {drawn.left_out} {drawn.lengths}"
        if is_fixed:
            key += str(shapes)
        if key not in self._runners:
            self._runners[key] = self._export(drawn, {} if is_fixed else axes)
        runners = self._runners[key]
        if isinstance(runners, Refused):
            raise runners
        return runners

    def _export(self, drawn: Drawn, axes: dict[str, dict[int, str]]) -> Runners | Refused:
        """Export a call, of the sample's sizes if they are dynamic."""
        import dataclasses

        cache_exporter_tables()
        operator = self._tests.operator
        plain = dataclasses.replace(drawn, sizes={} if axes else drawn.sizes, values="", layout="")
        model, args = model_of(self._tests, plain.arguments())
        is_node = operator.can_be_node and operator.is_native
        opsets = NODES if is_node else standard(operator)
        dynamo = not opsets[False]
        path = self._folder / f"{len(self._runners)}.onnx"
        package: Any = operator.package
        options = {
            "dynamo": dynamo,
            "opset_version": opsets[dynamo][-1],
            "input_names": model.names,
            "dynamic_axes": axes or None,
            "domain": operator.domain if is_node else "",
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoKernelWarning)
            try:
                package.export(model, args, path, **options)
            except RuntimeError as error:
                if "unsupported type" not in str(error):
                    raise
                if not is_node:
                    return Refused()
                # ONNX has no such dtype for the mapping's ops: the library computes the node.
                package.export(model, args, path, **options, function_bodies=False)
        return Runners(package, path, operator.domain if is_node else "", 1.0)


def _has_other_sizes(shape: torch.Size, of_sample: torch.Size, dynamic: Collection[int]) -> bool:
    """Return whether a shape has another rank than a sample's, or another size in a dimension that is not dynamic."""
    if len(shape) != len(of_sample):
        return True
    sizes = enumerate(zip(shape, of_sample, strict=True))
    return any(one != other for dimension, (one, other) in sizes if dimension not in dynamic)


def _with_sizes_of(sample: Sample) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in split(sample.arguments())[0].items()}


def _as_tensor(array: Any) -> Tensor:
    """Return an array as a tensor; numpy has no bfloat16."""
    if str(array.dtype) == "bfloat16":
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(array)
