"""A right export → the lines of its call, and sentences on what its file does and does not do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...trial.call import format_arguments
from ...trial.outcome import Outcome, indented
from ...trial.trial import IS_IN_EXPORT
from ..causes import constant_results, random_numbers
from ..model.exports import Export
from ..one_side import wording
from ..report.report import KeptLines, Report
from . import buffers
from .dynamic_argument import dynamic_argument

_DIFFERING = (
    "If these sizes may differ, return example inputs in which they do, and scan again: then scan "
    "says what is to change."
)


def of_pytorch(scanned: Report, export: Export) -> Iterator[str]:
    """Yield the lines of the call of PyTorch's own export."""
    outcome = scanned.whole[export]
    yield from _indented(_lines(scanned, outcome, "torch.onnx.export", _options(export)))


def of_runtime(scanned: Report, export: Export) -> Iterator[str]:
    """Yield the lines of the call of the runtime's export."""
    outcome = scanned.whole[export]
    lines = _lines(scanned, outcome, "onnxop_runtime.export", _options(export))
    yield from _with_replaced(scanned, {}, lines)


def of_package(
    scanned: Report, export: Export, outcome: Outcome, name: str, instead: Mapping[str, str]
) -> Iterator[str]:
    """Yield the lines of the call of a package's export, with its functions instead of others."""
    exporter = "" if export.exporter == "dynamo" else ", dynamo=False"
    options = f"opset_version={export.opset}{exporter}"
    yield from _with_replaced(scanned, instead, _lines(scanned, outcome, f"{name}.export", options))


def beside_right(
    scanned: Report, export: Export, outcome: Outcome, *, is_stock: bool = True
) -> Iterator[str]:
    """Yield sentences on other sizes, and on what a right file does not do: take sizes that differ,
    or other sides of conditions, give the same random numbers, keep what forward writes.
    ``is_stock``: of a file by PyTorch's own export.
    """
    yield from _at_other_sizes(scanned, export, outcome, is_stock=is_stock)
    sentences = [
        _DIFFERING if outcome.equal else "",
        random_numbers.beside_right(scanned, export, outcome),
        buffers.beside_right(scanned, export),
    ]
    if export.exporter == "TorchScript":
        sentences += _on_other_sides(scanned.kept)
    yield from (indented(sentence, "") for sentence in sentences if sentence)


def _on_other_sides(kept: KeptLines) -> Iterator[str]:
    """Yield sentences on inputs for which a trace would keep something else."""
    untried = [place for place in kept.places if place not in kept.reached]
    if kept.reached:
        otherwise = wording.kept_otherwise(kept.reached)
        yield f"It is right for inputs that were tried and {otherwise}."
    if untried:
        otherwise = wording.kept_otherwise(untried)
        yield f"For inputs that {otherwise}, it may be wrong."


def has_export_only(scanned: Report) -> bool:
    """Return whether the model runs lines in exports alone, with other results."""
    return bool(scanned.target.export_only)


def _options(export: Export) -> str:
    return f"opset_version={export.opset}, dynamo={export.exporter == 'dynamo'}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines)


def _with_replaced(
    scanned: Report, instead: Mapping[str, str], lines: Iterable[str]
) -> Iterator[str]:
    """Yield the lines of a call, in a block that replaces functions, as text, if there are some."""
    every = dict(instead)
    if has_export_only(scanned):
        every[IS_IN_EXPORT] = "lambda: False"
    if not every:
        yield from _indented(lines)
        return
    pairs = ", ".join(f'"{name}": {function}' for name, function in every.items())
    yield f"  with onnxop_runtime.replaced({{{pairs}}}):"
    yield from (f"    {line}" for line in lines)


def _at_other_sizes(
    scanned: Report, export: Export, outcome: Outcome, *, is_stock: bool
) -> Iterator[str]:
    """Yield a sentence on how to export for other sizes: from which inputs, with which dimensions
    dynamic.
    """
    if outcome.awaits_sizes:
        why = outcome.stopped or "scan again, with more time"
        yield indented(f"Other sizes were not tried: {why}.", "")
        return
    call = scanned.target.dynamic(export.exporter)
    if call is None or not call.axes:
        return
    sizes = format_arguments(call.tensors, {})
    added = dynamic_argument(scanned.target, call.axes, export, outcome.how, is_stock=is_stock)
    untried = " Sizes that are not above were not tried." if scanned.target.others else ""
    yield indented(f"For other sizes, export as it was tried: from {sizes}, {added}.{untried}", "")


def _lines(scanned: Report, outcome: Outcome, function: str, options: str) -> Iterator[str]:
    """Yield the lines of the call of an export, in the way in which it is right."""
    comment, arguments = _arguments(scanned, outcome)
    if comment:
        yield f"# plain: {comment}"
    if outcome.how == "dynamic":
        yield "# args and dynamic dimensions as for other sizes, below: else the exporter refuses"
    call = f"{function}({arguments}, {options})"
    if outcome.how == "no_grad":
        yield "with torch.no_grad():"
        call = f"    {call}"
    yield call


def _arguments(scanned: Report, outcome: Outcome) -> tuple[str, str]:
    """Return what the module ``plain`` is, if the call needs one, and the call's first arguments."""
    plain = 'plain, tensors, "model.onnx"'
    takes = "a module whose forward takes the tensors in the arguments by position"
    if outcome.how == "results":
        dropped = constant_results.format_indices(outcome.dropped)
        returns = f"calls the model, and returns its results without {dropped}"
        return f"{takes}, {returns}, which no input changes", plain
    if outcome.how == "tensors":
        return f"{takes}, and calls the model", plain
    target = scanned.target
    if target.kwargs:
        return "", 'model, args, "model.onnx", kwargs=kwargs'
    if target.args and isinstance(target.args[-1], dict):
        return "", 'model, (*args, {}), "model.onnx"'
    return "", 'model, args, "model.onnx"'
