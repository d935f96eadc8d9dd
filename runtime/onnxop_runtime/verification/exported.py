"""A file that somebody else's code has exported, compared with PyTorch: at the exporter's inputs,
and at other sizes.
"""

from __future__ import annotations

import ast
import inspect
import io
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ..exporting.call import model_arguments as calls
from ..exporting.call.watched import ExportCall
from ..operator import originals
from ..torch_internals import pytree
from .comparison import compare
from .runners import as_array, runner

Feeds = dict[str, Any]


class NotCompared(Exception):
    """The reason why a file cannot be compared with PyTorch."""


@dataclass
class Comparison:
    """The inputs of a file, PyTorch's results for them, and at which sizes they are."""

    feeds: Feeds
    expected: list[Any]
    sizes: str = ""
    """The inputs' sizes as text; empty for the exporter's own inputs."""


@dataclass
class Verdict:
    """Whether the values of a file are PyTorch's."""

    error: float = 0.0
    """The worst absolute error."""
    failures: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    """The other sizes at which the values were compared."""
    is_refused: bool = False
    """Whether the file has dynamic dimensions, but PyTorch refuses other sizes of these inputs."""

    def __str__(self) -> str:
        if self.failures:
            return f"WRONG: {'; '.join(self.failures)}"
        other = f", also at {'; '.join(self.sizes)}" if self.sizes else ""
        if self.is_refused:
            other = "; PyTorch refuses other sizes"
        return f"right: PyTorch's values, worst absolute error {self.error:.1e}{other}"


def load(file: object) -> Any:
    """Return a session of ONNX Runtime for a path or the bytes of a model."""
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])


def verdict_of(file: object, comparisons: Sequence[Comparison]) -> Verdict:
    """Compare a file's results with PyTorch's."""
    try:
        session = load(file)
    except Exception as error:  # noqa: BLE001 - ONNX Runtime's own
        return Verdict(failures=[f"ONNX Runtime does not load it: {_first_line(error)}"])
    return _compared(session, comparisons)


def _compared(session: object, comparisons: Sequence[Comparison]) -> Verdict:
    """Compare a session's results with PyTorch's."""
    verdict = Verdict()
    run = runner(session)
    for comparison in comparisons:
        at = f"at {comparison.sizes}: " if comparison.sizes else ""
        try:
            results = run(comparison.feeds)
        except Exception as error:  # noqa: BLE001 - ONNX Runtime's own
            verdict.failures.append(f"{at}ONNX Runtime fails: {_first_line(error)}")
            continue
        worst, failures = compare(comparison.expected, results)
        verdict.error = max(verdict.error, worst)
        verdict.failures += [at + failure for failure in failures]
        if comparison.sizes:
            verdict.sizes.append(comparison.sizes)
    return verdict


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


class ModelCall:
    """A model and copies of the tensors with which an exporter called it, made before the export."""

    def __init__(self, call: ExportCall) -> None:
        self._model, self._is_eval = call.model, _is_exported_in_eval(call)
        args, kwargs = call.args, call.options.get("kwargs")
        if isinstance(call.model, torch.export.ExportedProgram):
            self._model = call.model.module()
            example, named = call.model.example_inputs or ((), {})
            args, kwargs = (args, kwargs) if args or kwargs else (example, named)
        self._bound = _bound(self._model, *calls.split_arguments(args, kwargs))
        self._names = list(call.options.get("input_names") or ())
        values, self._tree = pytree.tree_flatten([*self._bound.arguments.values()])
        self._values = [_copy(value) for value in values]

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors among the arguments, in the order of the model's parameters."""
        return [value for value in self._values if isinstance(value, Tensor)]

    def results(self, tensors: Sequence[Tensor]) -> list[Any]:
        """Return PyTorch's results for these tensors, as arrays."""
        feed = iter([_copy(tensor) for tensor in tensors])
        values = [next(feed) if isinstance(v, Tensor) else v for v in self._values]
        arguments = pytree.tree_unflatten(values, self._tree)
        named = dict(zip(self._bound.arguments, arguments, strict=True))
        bound = inspect.BoundArguments(self._bound.signature, named)
        with _as_exported(self._model, is_eval=self._is_eval), originals.restored():
            outputs = self._model(*bound.args, **bound.kwargs)
        leaves = pytree.tree_leaves(outputs)
        return [as_array(leaf) for leaf in leaves if isinstance(leaf, Tensor)]

    def names_of(self, inputs: Sequence[str]) -> list[str]:
        """Return the names of the tensors, of which a file has these inputs: exporters leave out
        those that the model does not use. Raise NotCompared if the inputs are none of them.
        """
        if len(inputs) == len(self.tensors):
            return [*inputs]
        named = calls.input_tensors(self._model, self._bound.args, self._bound.kwargs, self._names)
        if len(named) != len(self.tensors) or not set(inputs) <= set(named):
            raise NotCompared(f"the file has the inputs {[*inputs]}, the model {[*named]}")
        return [*named]


def _bound(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
    """Bind the arguments to the model's parameters; models of ``torch.jit`` have no Python
    signature.
    """
    try:
        return inspect.signature(getattr(model, "forward", model)).bind(*args, **kwargs)
    except (TypeError, ValueError):
        kind = inspect.Parameter
        parameters = [kind("args", kind.VAR_POSITIONAL), kind("kwargs", kind.VAR_KEYWORD)]
        return inspect.Signature(parameters).bind(*args, **kwargs)


def _copy(value: object) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


def _is_exported_in_eval(call: ExportCall) -> bool:
    """Return whether the exporter put the model in the mode of inference, as the TorchScript
    exporter does by default.
    """
    training = call.options.get("training") or torch.onnx.TrainingMode.EVAL
    return not call.dynamo and training == torch.onnx.TrainingMode.EVAL


@contextmanager
def _as_exported(model: Any, *, is_eval: bool) -> Iterator[None]:
    """Put the model in the mode of the export, and restore its mode, its buffers and the random
    numbers.
    """
    modules = [*model.modules()] if isinstance(model, torch.nn.Module) else []
    modes = [module.training for module in modules]
    buffers = [*model.buffers()] if modules else []
    values = [buffer.detach().clone() for buffer in buffers]
    try:
        if is_eval and modules:
            model.eval()
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            yield
    finally:
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode
        with torch.no_grad():
            for buffer, value in zip(buffers, values, strict=True):
                buffer.data.copy_(value)


def verify(call: ModelCall, file: object) -> tuple[Verdict, list[Comparison]]:
    """Compare the values of a file, a path or the bytes of a model, with PyTorch's at the
    exporter's inputs and, if the file has dynamic dimensions, at other sizes. Return the verdict,
    and what was compared.

    Raises:
        NotCompared: PyTorch's own values differ between two calls, or the inputs are not the
            model's.
    """
    session = load(file)
    ports = session.get_inputs()
    inputs, shapes = [port.name for port in ports], [port.shape for port in ports]
    tensors, names = call.tensors, call.names_of(inputs)
    comparisons = [Comparison(_feeds(inputs, names, tensors), call.results(tensors))]
    shape_of = dict(zip(inputs, shapes, strict=True))
    fixed = [[*tensor.shape] for tensor in tensors]  # of those that the file leaves out
    all_shapes = [shape_of.get(name, shape) for name, shape in zip(names, fixed, strict=True)]
    is_refused = False
    for resized in _resized(tensors, all_shapes):
        try:
            expected = call.results(resized)
        except Exception:  # noqa: BLE001 - PyTorch refuses these sizes
            is_refused = True
            continue
        sizes = _sizes(names, tensors, resized)
        comparisons.append(Comparison(_feeds(inputs, names, resized), expected, sizes))
        break
    verdict = _compared(session, comparisons)
    verdict.is_refused = is_refused and len(comparisons) == 1
    if verdict.failures and compare(comparisons[0].expected, call.results(tensors))[1]:
        raise NotCompared("PyTorch's own values differ from call to call")
    return verdict, comparisons


def _feeds(inputs: Sequence[str], names: Sequence[str], tensors: Sequence[Tensor]) -> Feeds:
    """Return the tensors that a file has as inputs, by name."""
    by_name = dict(zip(names, tensors, strict=True))
    return {name: as_array(by_name[name]) for name in inputs}


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
