"""Export a model, check the file, run it in ONNX Runtime, and compare its results with
PyTorch's.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import re
import tempfile
import traceback
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import torch

from onnxop_runtime import processes
from onnxop_runtime import torch_internals as internals
from onnxop_runtime.exporting.call import other_sizes
from onnxop_runtime.exporting.replacement.replaced import in_place, replaced
from onnxop_runtime.mapping import opsets
from onnxop_runtime.messages import join_words
from onnxop_runtime.verification import runners
from onnxop_runtime.verification.differences import as_tensor, difference
from onnxop_runtime.verification.judge import Judgement, Kind, judge
from onnxop_runtime.verification.pytorch_results import PyTorchResults

from . import as_written, compared_sizes, places
from .call import (
    Call,
    Large,
    Untied,
    differing_dims,
    dynamic_sizes,
    format_arguments,
    has_complex,
    module_of_tensors,
    program_of,
    values_of,
    with_smaller_integers,
)
from .outcome import (
    NO_OVERLOAD,
    WORDS,
    Fault,
    Outcome,
    first_error,
    format_error,
    format_error_with_line,
    outcome,
    short,
)
from .places import Place
from .stability import outcome_by_finiteness

EXPORTERS = {"dynamo": opsets.DYNAMO, "TorchScript": opsets.TORCHSCRIPT}
"""The opsets that each exporter supports."""

EMPTY = "all results are empty, so no value was compared; try other inputs"
IS_IN_EXPORT = "torch.onnx.is_in_onnx_export"
"""The function by which models ask whether they are exported."""
_MOST = 1000  # of a size that is tried
_RUNTIME = ("onnxop_runtime.package", "onnxop_runtime.registered")
_SIZE = re.compile(r"\b(?:tensors_)?(\w+)\.size\(\)\[(\d+)\]")  # in a guard
_NO_VALUES = re.compile("data is not allocated yet|data-dependent|FakeTensor")
_NO_OVERLOAD = re.compile(
    r"Cannot find a compatible OpOverload for (\w+)\.(\w+) with .*?"
    r"for argument '(\w+)' but instead found type '(\w+)'",
    re.DOTALL,
)
_IN_FORK = "autograd's threading in combination with fork-based"  # a refusal of forks alone
_MODELS_LINES = re.compile("Original traceback:|The following call raised this error:")
"""After which torch.fx, and conditions on unknown sizes, name the model's lines."""
_OF_TRACER = "TorchExportError"  # of the dynamo exporter, whose class is private
_ROUNDED = "within the rounding error of PyTorch's own float32"
_PAIRS = "complex tensors are pairs of real numbers, in a last dimension of size 2"


@dataclass(frozen=True)
class Rules:
    """Rules of an export beside PyTorch's own.

    Attributes:
        package: an installed package, whose ``export`` is used.
        specs: the texts of specs to register for the export.
        replaced: names of the package's ops, by the dotted names of the functions that they
            replace.
        is_eager: whether `torch.onnx.is_in_onnx_export` is false for the model.
    """

    package: str = ""
    specs: tuple[str, ...] = ()
    replaced: Mapping[str, str] = field(default_factory=dict, hash=False)
    is_eager: bool = False

    @contextmanager
    def export(self) -> Iterator[Any]:
        """Yield the function that exports by these rules, as `torch.onnx.export` does by
        PyTorch's.
        """
        import onnxop_runtime
        from onnxop_runtime.registered import register_trusted

        with ExitStack() as stack:
            if self.is_eager:
                stack.enter_context(in_place({IS_IN_EXPORT: lambda: False}))
            if self.package:
                package: Any = importlib.import_module(self.package)
                ops = {name: getattr(package, op) for name, op in self.replaced.items()}
                stack.enter_context(replaced(ops))
                yield package.export
            elif self.specs:
                operators = register_trusted(self.specs)
                stack.callback(onnxop_runtime.unregister, operators)
                yield onnxop_runtime.export
            else:
                yield torch.onnx.export


STOCK = Rules()
"""No rules beside PyTorch's own."""
RUNTIME = Rules(package="onnxop_runtime")
"""PyTorch's own rules, by `onnxop_runtime.export`, which corrects some of what PyTorch's exporters
do.
"""


def warm_up_exporters() -> None:
    """Import all modules that forked processes need, and run each exporter once."""
    torch.set_num_threads(1)  # a fork has no other threads
    _run_exporters_once()


@cache
def _run_exporters_once() -> None:
    with processes.quiet():
        for module in ("onnx", "onnxruntime", "onnxscript", *_RUNTIME):
            importlib.import_module(module)
        internals.cache_exporter_tables()
        for is_dynamo in (True, False):
            f: Any = io.BytesIO()
            torch.onnx.export(torch.nn.Tanh(), (torch.ones(2),), f, dynamo=is_dynamo, verbose=False)
    gc.freeze()  # the collector then visits only what comes later
    atexit.register(gc.unfreeze)  # Triton's bindings list the objects that Python does not free


def run_works(
    works: Sequence[Callable[[], Any]],
    limits: processes.Limits = processes.DEFAULT_LIMITS,
    *,
    is_reused: bool = True,
) -> Iterator[tuple[int, Outcome]]:
    """Yield the index and the outcome of each piece of work, in order of completion. A process does
    many pieces, unless ``is_reused`` is False.
    """
    at_once = os.cpu_count() or 1
    answers = processes.run_each(works, limits=limits, at_once=at_once, is_reused=is_reused)
    for index, answer in answers:
        if _IN_FORK in str(answer):
            with processes.quiet():
                answer = works[index]()  # here, where autograd has its threads
        yield index, outcome(answer)


def try_export(call: Call, exporter: str, opset: int, rules: Rules = STOCK) -> Outcome:
    """Export the call, run the file in ONNX Runtime, and compare the results with PyTorch's.
    Refusals of the exporter, the checker and ONNX Runtime are outcomes, too. It may end the
    process.

    Raises:
        Exception: the exporter cannot work in a fork, or the model fails after the export, with any
            error.
    """
    torch.manual_seed(0)
    spare = call.spare() if call.is_as_written else None
    with call.kept_buffers(), tempfile.TemporaryDirectory(prefix="onnxop-trial-") as scratch:
        path = Path(scratch, "model.onnx")
        try:
            exported = _exported(call, path, exporter, opset, rules)
        except Exception as error:  # exporters raise anything
            if _IN_FORK in str(error):
                raise
            return _refusal(call, error)
        call, expected = _call_after_export(call, spare)
        if why := _refused(path, opset):
            return Outcome("checker", why)
        try:
            session = _session(path, rules)
            result = _compared(call, session, expected)
        except Exception as error:  # noqa: BLE001
            types = _types(path, str(error))
            return Outcome("runtime", f"{short(str(error))}{types}", "dtypes" if types else "")
        if result.is_right:
            result = _compared_for_others(call, exported, session, result)
        if exporter == "TorchScript" and call.is_as_written:
            result = replace(result, numbers=tuple(_numbers_taken(call, session)))
    has_pairs = exporter == "dynamo" and has_complex([*call.tensors, *expected])
    return Outcome("right", _PAIRS) if has_pairs and result == Outcome("right") else result


def _numbers_taken(call: Call, session: Any) -> Iterator[str]:
    """Yield the names of the arguments that are numbers, of which the file has made inputs."""
    names, numbers = as_written.argument_names(call), as_written.numbers(call)
    yield from (names[port.name] for port in session.get_inputs() if port.name in numbers)


def export_file(
    call: Call, path: Path, exporter: str, opset: int, *, has_lines: bool = False
) -> None:
    """Export the call by PyTorch's own rules. Raise the errors of the exporter. ``has_lines``: the
    TorchScript exporter writes the line of each node into its ``doc_string``.
    """
    _export(call, path, exporter, opset, STOCK, has_lines=has_lines)


def run_file(path: Path, call: Call) -> list[torch.Tensor]:
    """Run a file in ONNX Runtime on the call's tensors. Raise its errors."""
    return _run(_session(path, STOCK), call)


@dataclass(frozen=True)
class _Exported:
    """What is known of an export, beside its file.

    Attributes:
        program: torch.export's program; None after a trace of TorchScript.
        lines: the lines at which torch.export has made sizes constants, with these sizes as SymPy
            expressions.
        is_traced: whether a trace has warned that it takes one side of a condition.
    """

    program: torch.export.ExportedProgram | None
    lines: Mapping[Place, Sequence[Any]]
    is_traced: bool


def _exported(call: Call, path: Path, exporter: str, opset: int, rules: Rules) -> _Exported:
    """Export the call into a file. Raise the errors of the exporter."""
    with _specialised() as lines, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", internals.TracerWarning)
        returned = _export(call, path, exporter, opset, rules)
    is_traced = any(warning.category is internals.TracerWarning for warning in warned)
    return _Exported(getattr(returned, "exported_program", None), lines, is_traced)


def _call_after_export(call: Call, spare: Call | None) -> tuple[Call, list[torch.Tensor]]:
    """Run the model after its export, as a trace writes its buffers. Return the call, or the spare
    one if the model has kept a tensor of the trace, which has no values, with its results. Raise
    the errors of the model.
    """
    known = call.known_results()
    if known is not None:
        return spare or call, known
    if spare is None:
        return call, call.results()
    with suppress(Exception):
        results = call.results()
        if not any(map(internals.is_of_fakes, results)):
            return call, results
    return spare, spare.results()  # the trace has left tensors without values in the model


def _compared_for_others(
    call: Call, exported: _Exported, session: object, result: Outcome
) -> Outcome:
    """Compare with PyTorch's results for all other inputs. Return the outcome ``result`` of the
    first inputs, or that of the first others which fail, or which show another order.
    """
    result = _compared_for(call.others, call, exported, session, result)
    if not call.is_beyond or not result.is_right:
        return result
    program = _guarded(call, exported)
    if program is not None:
        beyond = tuple(_beyond(call, program))
    elif exported.is_traced:
        beyond = tuple(compared_sizes.with_other_results(call, _MOST))
    else:
        return result
    result = _compared_for(beyond, call, exported, session, result)
    return replace(result, beyond=beyond)


def _compared_for(
    sets: Iterable[Sequence[torch.Tensor]],
    call: Call,
    exported: _Exported,
    session: object,
    result: Outcome,
) -> Outcome:
    """Compare with PyTorch's results for these other inputs, as `_compared_for_others`."""
    for tensors in sets:
        again = _compared_again(call, tensors, session)
        if again and not again.is_right and isinstance(tensors, Untied):
            result = replace(result, equal=(*result.equal, _dimensions(call, tensors.axes)))
            tensors = _tied(call, tensors)  # is it the same size that matters, or a larger one?
            again = _compared_again(call, tensors, session)
        if again is None:
            continue
        if not again.is_right:
            return _failure_for_others(call, exported, *_of_culprits(call, tensors, again, session))
        if again.kind == "order" and result.kind == "right":
            result = replace(again, equal=result.equal)
    return result


def _of_culprits(
    call: Call, tensors: Sequence[torch.Tensor], failure: Outcome, session: object
) -> tuple[Sequence[torch.Tensor], Outcome]:
    """Return the set of tensors, for which the file fails, with those alone changed of which each
    alone makes it fail, and the outcome for these; or the set itself, if none does, sizes differ, or
    the model has other results now.
    """
    own, known = call.own_tensors, call.with_tensors(tensors).known_results()
    changed = [n for n, (a, b) in enumerate(zip(own, tensors, strict=True)) if not a.equal(b)]
    if len(changed) < 2 or differing_dims(own, tensors) or not _is_repeatable(call, tensors, known):
        return tensors, failure

    def fails(indices: Collection[int]) -> tuple[Sequence[torch.Tensor], Outcome] | None:
        kind: Any = Large if isinstance(tensors, Large) else tuple
        alone = kind(tensors[n] if n in indices else own[n] for n in range(len(own)))
        again = _compared_again(call, alone, session)
        return (alone, again) if again and not again.is_right else None

    culprits = [n for n in changed if fails({n})]
    return (fails(culprits) if culprits else None) or (tensors, failure)


def _is_repeatable(
    call: Call, tensors: Sequence[torch.Tensor], known: Sequence[torch.Tensor] | None
) -> bool:
    """Return whether the model, which may have been exported since, still has the known results."""
    if known is None:
        return True
    with suppress(Exception):
        return not difference(call.with_tensors(tensors).results(), known)
    return False


def _tied(call: Call, untied: Untied) -> tuple[torch.Tensor, ...]:
    """Return the tensors with the largest of the sizes that differ in all these dimensions."""
    return call.resized_tensors(untied.axes, max(untied[at].shape[d] for at, d in untied.axes))


def _dimensions(call: Call, axes: Iterable[tuple[int, int]]) -> str:
    """Return dimensions of the call's tensors, as text."""
    names: dict[int, list[str]] = {}
    for at, d in axes:
        names.setdefault(d, []).append(call.names[at])
    return join_words(f"dimension {d} of {join_words(of)}" for d, of in names.items())


def _guarded(call: Call, exported: _Exported) -> torch.export.ExportedProgram | None:
    """Return torch.export's program, which has conditions on sizes; None if there is none."""
    if exported.is_traced:
        with suppress(Exception):
            return program_of(call)
    return exported.program


def _compared_again(call: Call, tensors: Sequence[torch.Tensor], session: object) -> Outcome | None:
    """Run the call of other tensors in ONNX Runtime, and compare with PyTorch's results. Return None
    if PyTorch refuses them, or ONNX Runtime refuses large ones.
    """
    call, is_large = call.with_tensors(tensors), isinstance(tensors, Large)
    try:
        expected = call.known_results() or call.results()
    except Exception:  # noqa: BLE001 - as for an index that a trace keeps
        return None
    try:
        if is_large:
            return outcome_by_finiteness(call, _run(session, call), expected)
        return _compared(call, session, expected)
    except Exception as error:  # noqa: BLE001
        return None if is_large else Outcome("runtime", short(str(error)))


def _failure_for_others(
    call: Call, exported: _Exported, tensors: Sequence[torch.Tensor], outcome: Outcome
) -> Outcome:
    """Return the outcome of an export that is right for its inputs, and fails for others."""
    values = values_of(call.own_tensors, tensors, call.names)
    label = f"other values{values}" if values else format_arguments(tensors, {})
    kept = _kept(call, exported, tensors)
    why = f"run with {label}: {WORDS[outcome.kind]}: {outcome.why}{kept.text}"
    fault = "values" if values else kept.fault
    lines, inputs = tuple(kept.lines), tuple(tensors)
    return Outcome("example", why, fault, lines=lines, inputs=inputs, then=outcome.kind)


def _compared(call: Call, session: object, expected: list[torch.Tensor]) -> Outcome:
    """Run the call in ONNX Runtime, and compare with PyTorch's results. Raises ONNX Runtime's
    errors.
    """

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return _run(session, call.with_tensors(tensors))

    pytorch = PyTorchResults(call, expected, exact=call.known_exact())
    outcome = _outcome(judge(_run(session, call), pytorch, run), expected)
    exact = pytorch.known_exact
    return outcome if exact is None else replace(outcome, exact=((tuple(call.tensors), exact),))


def _outcome(judgement: Judgement, expected: Sequence[torch.Tensor]) -> Outcome:
    """Return what the judge says of results as an outcome."""
    why = next(iter(judgement.differences), "")
    match judgement.kind:
        case Kind.RIGHT:
            return Outcome("right", "" if any(tensor.numel() for tensor in expected) else EMPTY)
        case Kind.ROUNDING:
            return Outcome("right", _ROUNDED)
        case Kind.RANDOM:
            return Outcome("random", _compared_of_random(judgement, len(expected)))
        case Kind.TIES:
            return Outcome("order", why)
        case Kind.NEAR_ROWS:
            why = f"{why}; these are rows of nearly equal scores, in another order"
            return Outcome("order", why)
        case Kind.WRONG if judgement.is_by_rounding:
            return Outcome("values", f"{why}; {judgement.note}")
        case Kind.WRONG:
            return Outcome("values", why)


def _compared_of_random(judgement: Judgement, count: int) -> str:
    """Return what was compared of results that are random in PyTorch, too, as text."""
    noun = "result" if len(judgement.random) == 1 else "results"
    indices = join_words(map(str, sorted(judgement.random)))
    results = "all results" if len(judgement.random) == count else f"{noun} {indices}"
    return f"of {results}, dtypes and shapes alone were compared"


def _beyond(
    call: Call, program: torch.export.ExportedProgram
) -> Iterator[tuple[torch.Tensor, ...]]:
    """Yield inputs of sizes beyond those that torch.export's program takes, where PyTorch takes
    them: one larger than the largest, one smaller than the smallest, and half of that.
    """
    axes_by_size: dict[Any, list[tuple[int, int]]] = {}
    for axis, size in dynamic_sizes(program):
        axes_by_size.setdefault(size, []).append(axis)
    every = [axis for axes in axes_by_size.values() for axis in axes]
    for size, bounds in program.range_constraints.items():
        axes = axes_by_size.get(size, [])
        alike = {call.tensors[at].shape[d] for at, d in axes}
        wider = [(at, d) for at, d in every if call.tensors[at].shape[d] in alike]
        for other in _sizes_beyond(bounds) if axes else ():
            candidates = [call.resized_tensors(dims, other) for dims in (axes, wider)]
            if other < min(alike):
                share = other / min(alike)
                candidates += [with_smaller_integers(sizes, share) for sizes in candidates]
            if accepted := call.first_accepted(candidates):
                yield accepted


def _sizes_beyond(bounds: Any) -> Iterator[int]:
    """Yield sizes next to the bounds of one, and half of the lower bound, of at most `_MOST` and at
    least 2.
    """
    if bounds.upper < _MOST:
        yield int(bounds.upper) + 1
    lower = min(int(bounds.lower), _MOST)
    yield from dict.fromkeys(n for n in (lower - 1, lower // 2) if n >= 2)


@dataclass(frozen=True)
class _Kept:
    """What torch.export has kept of the sizes of the example, which other inputs violate.

    Attributes:
        text: the dimensions, the sizes or the guard, as text.
        fault: ``specialised`` if a size is a constant, else ``sizes``.
        lines: the lines at which torch.export made it a constant.
    """

    text: str = ""
    fault: Fault = "sizes"
    lines: Sequence[Place] = ()


def _kept(call: Call, exported: _Exported, tensors: Sequence[torch.Tensor]) -> _Kept:
    """Return what torch.export has kept that the tensors violate: dimensions, sizes computed of
    these, or else a guard.
    """
    program = exported.program
    if program is None:
        return _Kept()
    bounds = program.range_constraints
    constant = {size for size in bounds if bounds[size].lower == bounds[size].upper}
    dynamic = {axis for axis, size in dynamic_sizes(program) if size not in constant}
    differing = [
        (at, d) for at, dims in differing_dims(call.tensors, tensors).items() for d in dims
    ]
    if kept := [axis for axis in differing if axis not in dynamic]:
        names = call.names
        told = (f"dimension {d} of {names[at]} to {call.tensors[at].shape[d]}" for at, d in kept)
        at_lines = _at(exported.lines)
        text = f"; torch.export specialised {join_words(told)}{at_lines}"
        return _Kept(text, "specialised", [*exported.lines])
    if lines := _lines_of_other_sizes(call, exported, tensors):
        text = f"; torch.export made a size that is computed of these a constant{_at(lines)}"
        return _Kept(text, "specialised", lines)
    guard = _violated_guard(call, program, tensors)
    return _Kept(f"; torch.export guards on {guard}" if guard else "")


def _at(lines: Iterable[Place]) -> str:
    shown = [place.with_code for place in lines]
    return f" at {join_words(shown)}" if shown else ""


def _lines_of_other_sizes(
    call: Call, exported: _Exported, tensors: Sequence[torch.Tensor]
) -> list[Place]:
    """Return the lines at which torch.export has made sizes constants that differ for the
    tensors.
    """
    axes = [*dynamic_sizes(exported.program)]
    own = {size: call.tensors[at].shape[d] for (at, d), size in axes}
    other = {size: tensors[at].shape[d] for (at, d), size in axes}
    return [
        place
        for place, sizes in exported.lines.items()
        if any(size.subs(own) != size.subs(other) for size in sizes)
    ]


def _dimension(size: re.Match[str]) -> str:
    """Return a size in a guard, as text."""
    name, dim = size.groups()
    return f"dimension {dim} of {f'input {name}' if name.isdigit() else name}"


def _violated_guard(
    call: Call, program: torch.export.ExportedProgram, tensors: Sequence[torch.Tensor]
) -> str:
    """Return the condition of torch.export's program that the tensors violate, as text, or
    ``""``.
    """
    try:
        other = call.with_tensors(tensors) if call.is_as_written else Call(None, tuple(tensors))
        program.module()(*other.args, **other.kwargs)
    except AssertionError as error:
        guard = str(error).partition("Guard failed: ")[2]
        return _SIZE.sub(_dimension, guard)
    except Exception:  # noqa: BLE001, S110 - whatever else it raises
        pass
    return ""


@contextmanager
def _specialised() -> Iterator[dict[Place, list[Any]]]:
    """Yield the lines, a library's too, at which torch.export makes a size a constant meanwhile, as
    ``range`` needs one, with these sizes as SymPy expressions. The exporter calls torch.export in
    several modes, one after the other; what counts is the last one, which it has not refused.
    """
    lines: dict[Place, list[Any]] = {}

    def note(node: Any) -> None:
        if not node.expr.free_symbols:
            return
        traced = internals.frames_of_dynamo()
        place = places.of_frames(traced) or places.of_running([*traceback.walk_stack(None)])
        if place:
            lines.setdefault(place, []).append(node.expr)

    with internals.at_guards(note), _at_traces(lines.clear):
        yield lines


@contextmanager
def _at_traces(callback: Callable[[], None]) -> Iterator[None]:
    """Call ``callback`` before each call of `torch.export.export`."""
    original = torch.export.export

    def export(*args: Any, **kwargs: Any) -> torch.export.ExportedProgram:
        callback()
        return original(*args, **kwargs)

    torch.export.export = export
    try:
        yield
    finally:
        torch.export.export = original


def _refusal(call: Call, error: BaseException) -> Outcome:
    """Return the exporter's refusal, or the fault of the model if it raises or returns other
    values.
    """
    is_of_tracer = type(error).__name__ == _OF_TRACER
    while error.__cause__ is not None:
        error = error.__cause__
    error = first_error(error)
    told = _without_overload(error) or format_error(error)
    why = f"{told}{_line_of_node(error)}"
    if is_of_tracer and _NO_VALUES.search(str(error)):
        why = f"torch.export traces without values, but the model needs some: {why}"
    refusal = Outcome("export", why, is_of_tracer=is_of_tracer)
    if refusal.named:
        return refusal
    try:
        results = call.returned()
    except Exception as own:  # noqa: BLE001 - and so do models
        return Outcome("export", f"PyTorch itself raises {format_error_with_line(own)}", "model")
    others = [x for x in results if x is not None and not isinstance(x, torch.Tensor)]
    if not others:
        return refusal
    values = ", ".join(dict.fromkeys(f"{x!r:.40}, of type {type(x).__name__}" for x in others))
    why = f"the model returns {values}; return tensors only, as exporters need"
    return Outcome("export", why, "model")


def _without_overload(error: BaseException) -> str:
    """Return the operator for which the exporter, as it converts dtypes, finds no overload, as text,
    or ``""``.
    """
    match = _NO_OVERLOAD.search(str(error))
    if match is None:
        return ""
    namespace, name, argument, kind = match.groups()
    return f"{NO_OVERLOAD} {namespace}::{name} that takes a {kind} as {argument}"


def _line_of_node(error: BaseException) -> str:
    """Return the model's line that an error names, of a node which a decomposition or a size fails
    at, as text, or ``""``.
    """
    _, *trace = _MODELS_LINES.split(str(error), maxsplit=1)
    place = places.of_stack(trace[0]) if trace else None
    return f"; at {place.with_code}" if place else ""


def _export(
    call: Call, path: Path, exporter: str, opset: int, rules: Rules, *, has_lines: bool = False
) -> Any:
    options: dict[str, Any] = {"opset_version": opset, "verbose": has_lines}
    options["dynamo"] = exporter == "dynamo"
    internals.renew_rnns()
    with (
        rules.export() as export,
        places.recording_lines(),
        torch.set_grad_enabled(not call.is_no_grad),
        other_sizes.unchecked(),
    ):
        if call.is_program:
            return export(call.model, (), str(path), **options)
        if call.is_as_written:
            own = call.with_copies()
            options |= as_written.options(own, exporter, is_stock=rules == STOCK)
            args, kwargs = as_written.arguments(own)
            return export(own.model, args, str(path), kwargs=kwargs, **options)
        inputs = tuple(tensor.detach().clone() for tensor in call.tensors)
        names = [f"x{n}" for n in range(len(inputs))]
        if call.axes and exporter == "dynamo":
            options["dynamic_shapes"] = call.dynamic_shapes
        elif call.axes:
            options["dynamic_axes"] = {f"x{n}": [*dims] for n, dims in call.axes.items()}
        return export(module_of_tensors(call), inputs, str(path), input_names=names, **options)


def _refused(path: Path, opset: int) -> str:
    """Return the checker's error, or that the file has another opset than requested, or ``""``."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    written = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if written and written != [opset]:
        return f"the exporter wrote opset {written[0]} instead of {opset}"
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except Exception as error:  # noqa: BLE001 - its classes are private
        return short(str(error))
    return ""


def _types(path: Path, error: str) -> str:
    """Return the dtypes of the inputs of the node for which ONNX Runtime has no kernel, as text, or
    ``""``.
    """
    import onnx

    refused = re.search(r"Could not find an implementation .* node with name '(.+)'", error)
    if refused is None:
        return ""
    graph = onnx.shape_inference.infer_shapes(onnx.load(path)).graph
    types = {tensor.name: tensor.data_type for tensor in graph.initializer}
    types |= {v.name: v.type.tensor_type.elem_type for v in (*graph.input, *graph.value_info)}
    inputs = [name for node in graph.node if node.name == refused[1] for name in node.input]
    dtype_of = onnx.helper.tensor_dtype_to_np_dtype
    names = [dtype_of(types[name]).name for name in inputs if types.get(name)]
    return f"; the dtypes of its inputs are {join_words(names)}" if names else ""


def _session(path: Path, rules: Rules) -> Any:
    import onnxruntime  # type: ignore[import-untyped]

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 4
    package: Any = importlib.import_module(rules.package) if rules.package else None
    if hasattr(package, "session_options"):
        settings = package.session_options(settings)  # with the package's library
    return onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])


def _run(session: Any, call: Call) -> list[torch.Tensor]:
    """Run the session on the call's tensors."""
    ports = session.get_inputs()
    by_name = {f"x{n}": tensor for n, tensor in enumerate(call.tensors)}
    if call.is_as_written:
        by_name |= as_written.numbers(call)
    if not all(port.name in by_name for port in ports):  # a program names inputs itself
        by_name = dict(zip([port.name for port in ports], call.tensors, strict=False))
    feeds = {}
    for port in ports:
        tensor = by_name[port.name].detach().cpu().resolve_conj().contiguous()
        if tensor.is_complex() and "complex" not in port.type:
            tensor = torch.view_as_real(tensor)
        feeds[port.name] = runners.as_array(tensor)
    arrays = runners.runner(session)(feeds)
    return [as_tensor(array) for array in arrays]
