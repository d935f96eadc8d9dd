"""A file that somebody else's code has exported, compared with PyTorch: at the exporter's inputs,
and at other sizes.
"""

from __future__ import annotations

import ast
import io
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ..exporting.call.watched import ExportCall
from .differences import as_pairs, as_tensor
from .judge import Judgement, Kind, Run, judge
from .model_call import ModelCall
from .pytorch_results import PyTorchResults
from .runners import as_array, runner


class NotCompared(Exception):
    """The reason why a file cannot be compared with PyTorch."""


@dataclass
class Comparison:
    """PyTorch's results for one set of inputs, and at which sizes they are."""

    names: Sequence[str]
    """The names of the inputs."""
    pytorch: PyTorchResults
    sizes: str = ""
    """The inputs' sizes as text; empty for the exporter's own inputs."""


@dataclass
class Verdict:
    """Whether the values of a file are PyTorch's."""

    kind: Kind = Kind.RIGHT
    """The worst of all comparisons."""
    error: float = 0.0
    """The worst absolute error."""
    differences: list[str] = field(default_factory=list)
    """How results differ that are right except for something."""
    failures: list[str] = field(default_factory=list)
    """How results are wrong."""
    notes: list[str] = field(default_factory=list)
    """What is not known of wrong results."""
    sizes: list[str] = field(default_factory=list)
    """The other sizes at which the values were compared."""
    has_values: bool = False
    """Whether a result has elements; those of a detector may all be empty."""
    is_refused: bool = False
    """Whether the file has dynamic dimensions, but PyTorch refuses other sizes of these inputs."""

    def __str__(self) -> str:
        if self.failures:
            return "; ".join([f"WRONG: {'; '.join(self.failures)}", *dict.fromkeys(self.notes)])
        other = f", also at {'; '.join(self.sizes)}" if self.sizes else ""
        if self.is_refused:
            other = "; PyTorch refuses other sizes"
        if not self.has_values:
            return f"right, but no value was compared: all results are empty{other}"
        if self.kind is Kind.RIGHT:
            return f"right: PyTorch's values, worst absolute error {self.error:.1e}{other}"
        return f"{self.kind.text}: {'; '.join(self.differences)}{other}"

    def add(self, judgement: Judgement, comparison: Comparison) -> None:
        """Add what the judge says of the results for inputs of other sizes, or of the
        exporter's.
        """
        sizes, expected = comparison.sizes, comparison.pytorch.expected
        at = f"at {sizes}: " if sizes else ""
        self.has_values |= any(tensor.numel() for tensor in expected)
        texts = [at + text for text in judgement.differences]
        self.error = max(self.error, judgement.error)
        self.sizes += [sizes] if sizes else []
        self.notes += [judgement.note] if judgement.note else []
        if not judgement.is_right:
            self.failures += texts
            return
        self.differences += texts
        self.kind = max(self.kind, judgement.kind)


def load(file: object, *, is_optimized: bool = True) -> Any:
    """Return a session of ONNX Runtime for a path or the bytes of a model."""
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if not is_optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def verdict_of(file: object, comparisons: Sequence[Comparison]) -> Verdict:
    """Compare a file's results with PyTorch's."""
    try:
        session = load(file)
    except Exception as error:  # noqa: BLE001 - ONNX Runtime's own
        return Verdict(failures=[f"ONNX Runtime does not load it: {_first_line(error)}"])
    return _judged(session, file, comparisons)


def _judged(session: object, file: object, comparisons: Sequence[Comparison]) -> Verdict:
    """Return the verdict on a file in a session of it; note of a wrong result that it is right
    without ONNX Runtime's optimizations.
    """
    verdict = _compared(session, comparisons)
    if not verdict.failures:
        return verdict
    try:
        plain = load(file, is_optimized=False)
    except Exception:  # noqa: BLE001 - ONNX Runtime's own; nothing is known then
        return verdict
    if not _compared(plain, comparisons).failures:
        verdict.notes = ["right without ONNX Runtime's optimizations (ORT_DISABLE_ALL)"]
    return verdict


def _compared(session: object, comparisons: Sequence[Comparison]) -> Verdict:
    """Compare a session's results with PyTorch's."""
    verdict = Verdict()
    for comparison in comparisons:
        at = f"at {comparison.sizes}: " if comparison.sizes else ""
        run, pytorch = _run_on_tensors(session, comparison.names), comparison.pytorch
        try:
            results = run(pytorch.tensors)
        except Exception as error:  # noqa: BLE001 - ONNX Runtime's own
            verdict.failures.append(f"{at}ONNX Runtime fails: {_first_line(error)}")
            continue
        verdict.add(judge(results, pytorch, run), comparison)
    return verdict


def _run_on_tensors(session: Any, names: Sequence[str]) -> Run:
    """Return a function that runs a session on tensors with these names: those that the file has as
    inputs, complex ones as pairs if its inputs are real.
    """
    types = {port.name: port.type for port in session.get_inputs()}
    run_on_arrays = runner(session)

    def run(tensors: Sequence[Tensor]) -> list[Tensor]:
        by_name = dict(zip(names, tensors, strict=True))
        inputs = {
            n: t if "complex" in types[n] else as_pairs(t) for n, t in by_name.items() if n in types
        }
        results = run_on_arrays({name: as_array(tensor) for name, tensor in inputs.items()})
        return [as_tensor(array) for array in results]

    return run


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _is_exported_in_eval(call: ExportCall) -> bool:
    """Return whether the exporter put the model in the mode of inference, as the TorchScript
    exporter does by default.
    """
    training = call.options.get("training") or torch.onnx.TrainingMode.EVAL
    return not call.dynamo and training == torch.onnx.TrainingMode.EVAL


def call_of(call: ExportCall) -> ModelCall:
    """Return the call that an exporter got, with copies of its arguments, made before the
    export.
    """
    options = call.options
    names = options.get("input_names") or ()
    is_eval = _is_exported_in_eval(call)
    return ModelCall(call.model, call.args, options.get("kwargs"), names, is_eval=is_eval)


def verify(call: ModelCall, file: object) -> tuple[Verdict, list[Comparison]]:
    """Compare the values of a file, a path or the bytes of a model, with PyTorch's at the
    exporter's inputs and, if the file has dynamic dimensions, at other sizes. Return the verdict,
    and what was compared, without the model.

    Raises:
        NotCompared: PyTorch's own values differ between two calls, or the inputs are not the
            model's.
    """
    session = load(file)
    ports = session.get_inputs()
    names = _names(call, [port.name for port in ports])
    pytorch = PyTorchResults(call)
    comparisons = [Comparison(names, pytorch)]
    shapes = {port.name: port.shape for port in ports}
    other, is_refused = _at_other_sizes(call, names, shapes)
    comparisons += [other] if other else []
    verdict = _judged(session, file, comparisons)
    verdict.is_refused = is_refused and other is None
    if verdict.kind is Kind.RANDOM and _are_all_random(pytorch):
        raise NotCompared("PyTorch's own values differ from call to call")
    for comparison in comparisons:
        comparison.pytorch.complete()
    return verdict, comparisons


def _names(call: ModelCall, inputs: Sequence[str]) -> list[str]:
    """Return the names of the call's tensors, of which a file has these inputs."""
    try:
        return call.names_of(inputs)
    except ValueError as error:
        raise NotCompared(str(error)) from error


def _are_all_random(pytorch: PyTorchResults) -> bool:
    """Return whether PyTorch computes all results otherwise in each call."""
    varying = pytorch.varying
    return len(varying.shapes | varying.values) == len(pytorch.expected)


def _at_other_sizes(
    call: ModelCall, names: Sequence[str], shapes: Mapping[str, Sequence[object]]
) -> tuple[Comparison | None, bool]:
    """Return PyTorch's results at other sizes of a file's dynamic dimensions, None without them,
    and whether PyTorch refuses sizes.
    """
    tensors = call.tensors
    shapes_of_tensors = [
        [*shapes.get(name, tensor.shape)][: tensor.dim()]  # pairs have one more dimension
        for name, tensor in zip(names, tensors, strict=True)
    ]
    is_refused = False
    for resized in _resized(tensors, shapes_of_tensors):
        try:
            pytorch = PyTorchResults(call.with_tensors(resized))
        except Exception:  # noqa: BLE001 - PyTorch refuses these sizes
            is_refused = True
            continue
        return Comparison(names, pytorch, _sizes(names, tensors, resized)), is_refused
    return None, is_refused


def _sizes(names: Sequence[str], tensors: Sequence[Tensor], resized: Sequence[Tensor]) -> str:
    """Return the sizes that have changed: ``x[4, 3] and y[4]``."""
    triples = zip(names, tensors, resized, strict=True)
    return ", ".join(
        f"{name}{[*new.shape]}" for name, old, new in triples if old.shape != new.shape
    )


def _resized(
    tensors: Sequence[Tensor], shapes: Sequence[Sequence[object]]
) -> Iterator[list[Tensor]]:
    """Yield the tensors at other sizes of their dynamic dimensions, until PyTorch takes one: all
    dimensions larger by one, all doubled, and each alone doubled. Their values are repeated.
    """
    symbols = _symbols(tensors, shapes)
    changes: list[dict[str, Callable[[int], int]]] = [
        dict.fromkeys(symbols, lambda size: size + 1),
        dict.fromkeys(symbols, lambda size: 2 * size),
        *({symbol: lambda size: 2 * size} for symbol in symbols),
    ]
    for change in changes if symbols else ():
        sizes = {symbol: change.get(symbol, int)(size) for symbol, size in symbols.items()}
        resized = [_at(tensor, shape, sizes) for tensor, shape in zip(tensors, shapes, strict=True)]
        if any(new.shape != old.shape for new, old in zip(resized, tensors, strict=True)):
            yield resized


def _symbols(tensors: Sequence[Tensor], shapes: Sequence[Sequence[object]]) -> dict[str, int]:
    """Return the names of dynamic dimensions with their sizes; expressions of several names are
    none.
    """
    return {
        str(name): size
        for tensor, shape in zip(tensors, shapes, strict=True)
        for size, name in zip(tensor.shape, shape, strict=True)
        if isinstance(name, str) and name.isidentifier()
    }


def _at(tensor: Tensor, shape: Sequence[object], sizes: Mapping[str, int]) -> Tensor:
    for axis, name in enumerate(shape):
        former = tensor.shape[axis]
        size = former if isinstance(name, int) else _size(name, sizes, former)
        if size == former:
            continue
        if former == 0:  # as the empty cache of a decoder
            tensor = tensor.new_zeros([*tensor.shape[:axis], size, *tensor.shape[axis + 1 :]])
        else:
            places = torch.arange(size, device=tensor.device) % former
            tensor = tensor.index_select(axis, places)
    return tensor


def _size(name: object, sizes: Mapping[str, int], size: int) -> int:
    """Return the new size of a dimension: of a name, or of a sum or product of names (``past_length
    + 1``).
    """
    try:
        return _evaluated(ast.parse(str(name), mode="eval").body, sizes)
    except (SyntaxError, KeyError):  # neither a name nor such an expression
        return size


def _evaluated(node: ast.expr, sizes: Mapping[str, int]) -> int:
    if isinstance(node, ast.BinOp):
        compute = _OPERATORS[type(node.op)]
        return compute(_evaluated(node.left, sizes), _evaluated(node.right, sizes))
    return int(node.value) if isinstance(node, ast.Constant) else sizes[ast.unparse(node)]  # type: ignore[arg-type]


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def bytes_of(f: object) -> object:
    """Return what ONNX Runtime loads: a path as it is, and the content of a stream."""
    return f.getvalue() if isinstance(f, io.BytesIO) else f
