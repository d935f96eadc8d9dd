"""Compares PyTorch with ONNX Runtime and with ``onnx.reference`` on an exported model."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from . import native, nodes
from .calls import Model, input_tensors, split_arguments
from .export import Domain, export
from .functions import is_of, nodes_of
from .operator import OPERATORS, Operator
from .runtime import session_options

_Feeds = dict[str, Any]

_RUNTIME, _REFERENCE = "ONNX Runtime", "onnx.reference"
_NATIVE = "native kernel"
_BARE = "has no function body"

_TOLERANCES = {
    "bfloat16": (5e-2, 2e-2),
    "float16": (1e-2, 1e-3),
    "float32": (1e-4, 1e-5),
    "float64": (1e-7, 1e-8),
}
"""The relative and the absolute error that are allowed, by dtype of the output."""

_BUDGET = 20.0
_QUIET = 3.0  # seconds of work before a word of it
_LARGE = 16 * 2**20  # bytes of a model, weights included, that onnx.reference is not tried on


@dataclass(frozen=True)
class Verification:
    """How far each runtime is from PyTorch on one exported model.

    Attributes:
        exporter: ``"dynamo"`` or ``"TorchScript"``; the file's name where none was exported.
        opset: the opset of the exported model.
        errors: the worst absolute error by runtime: ``"ONNX Runtime"``, ``"onnx.reference"`` and,
            where the model has the operator as a node of its domain, ``"native kernel"``: ONNX
            Runtime with the package's library.
        native: how many nodes of the operators the library computed in ``"native kernel"``.
        nodes: how many of them the model has, those in subgraphs and in functions included.
        missing: why a runtime could not be compared, by runtime.
        failures: what was out of tolerance, one sentence each.
    """

    exporter: str
    opset: int
    errors: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    native: int = 0
    nodes: int = 0
    against: str = "PyTorch"

    def __str__(self) -> str:
        count = f" ({self.native} of {self.nodes} node{'s' * (self.nodes != 1)})"
        lines = [
            f"{self.exporter}, opset {self.opset}: worst absolute error against {self.against}"
            + count * (self.against == _NATIVE)
        ]
        lines += [
            f"  {runtime}: {error:.1e}{count * (runtime == _NATIVE)}"
            for runtime, error in self.errors.items()
        ]
        lines += [f"  {runtime}: not compared ({why})" for runtime, why in self.missing.items()]
        return "\n".join([*lines, *(f"  {failure}" for failure in self.failures)])


def verify(
    model: Model | str | os.PathLike[str],
    args: Tensor | tuple[Any, ...] = (),
    *,
    f: str | os.PathLike[str] | None = None,
    kwargs: dict[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    domain: Domain | None = None,
    others: Sequence[tuple[Any, ...]] = (),
    rtol: float | None = None,
    atol: float | None = None,
    budget: float = _BUDGET,
    **options: Any,
) -> Verification:
    """Exports a model and compares PyTorch with what ONNX Runtime and ``onnx.reference`` compute.

    Where that takes long, it says on stderr what is at work.

    Args:
        model: the model; it is called in the mode it is in. Or the path of an ONNX file, whose
            runtimes are compared with each other.
        args: the arguments to export it with and to compare it on.
        f: an ONNX file to compare the model with; nothing is exported then.
        kwargs: its keyword arguments.
        input_names: the names of the inputs, as in `export`.
        opset_version: the opset, as in `export`.
        dynamo: which exporter, as in `export`.
        domain: the domain, as in `export`.
        others: more arguments to compare it on, of other sizes where axes are dynamic.
        rtol: the relative error allowed; by default 1e-4 for float32 (bfloat16 5e-2, float16 1e-2,
            float64 1e-7).
        atol: the absolute error allowed; by default 1e-5 for float32 (bfloat16 2e-2, float16 1e-3,
            float64 1e-8).
        budget: the seconds that each runtime may take; one that needs more is left out, by name.
            ``onnx.reference`` is slow, and left out where a model has 16 MB and more.
        options: passed on to `export`: ``dynamic_axes``, ``dynamic_shapes`` and so on.

    Returns:
        The worst absolute errors.

    Raises:
        AssertionError: a result is out of tolerance, or of another shape or dtype, or nothing can
            run the model; its text is the whole comparison.
        TypeError: a tensor is of a dtype that neither numpy nor onnx can hold in an array.
        ValueError: the file is no ONNX model, or an input is not of its dtype or sizes.
    """
    _check_numbers(rtol=rtol, atol=atol, budget=budget)
    if isinstance(model, str | os.PathLike):
        return _verify_file(Path(model), args, others, domain, rtol, atol, budget)
    if isinstance(model, torch.export.ExportedProgram) and not args and not kwargs:
        args, kwargs = model.example_inputs or ((), {})
    with tempfile.TemporaryDirectory() as folder:
        path, exporter = Path(f or Path(folder, "model.onnx")), str(f)
        if f is None:
            with _told("the model is being exported"):
                program = export(
                    model,
                    args,
                    path,
                    kwargs=kwargs,
                    input_names=input_names,
                    opset_version=opset_version,
                    dynamo=dynamo,
                    domain=domain,
                    **{"verbose": False, **options},
                )
            exporter = "TorchScript" if program is None else "dynamo"
        runners = _Runners(path, domain, budget)
        comparison = _Comparison(rtol, atol)
        for call in (args, *others):
            tensors = input_tensors(model, call, kwargs, input_names)
            feeds = {name: _numpy(tensor) for name, tensor in tensors.items()}
            expected = [_numpy(t) for t in _expected(model, *split_arguments(call, kwargs))]
            if unknown := [name for name in runners.inputs if name not in feeds]:
                raise ValueError(f"{path} has the input {unknown[0]}, but the model {[*feeds]}")
            # An input that the model does not use may be gone from the graph.
            feeds = {name: feeds[name] for name in runners.inputs}
            runners.check(feeds)
            runners.compare(feeds, expected, comparison)
        return comparison.result(exporter, runners)


def _verify_file(
    path: Path,
    args: Any,
    others: Sequence[tuple[Any, ...]],
    domain: Domain | None,
    rtol: float | None,
    atol: float | None,
    budget: float,
) -> Verification:
    """Compares the runtimes of a file with the first of them that runs it."""
    runners = _Runners(path, domain, budget)
    comparison = _Comparison(rtol, atol)
    against = ""
    for call in (args, *others):
        tensors = call if isinstance(call, tuple) else (call,)
        if len(tensors) != len(runners.inputs):
            raise ValueError(f"{path} has the inputs {runners.inputs}; give a tensor for each")
        for name, tensor in zip(runners.inputs, tensors, strict=True):
            if not isinstance(tensor, Tensor):
                kind = type(tensor).__name__
                raise TypeError(f"{path}: the input {name} must be a tensor, but it is a {kind}")
        feeds = dict(zip(runners.inputs, map(_numpy, tensors), strict=True))
        runners.check(feeds)
        against, expected = runners.first(feeds)
        runners.compare(feeds, expected, comparison, besides=against)
    return comparison.result(str(path), runners, against)


def _check_numbers(*, budget: Any, **tolerances: Any) -> None:
    for name, value in {"budget": budget, **tolerances}.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and value >= 0) and (value is not None or name == "budget"):
            what = "a number of seconds" if name == "budget" else "a number, 0 or more"
            raise ValueError(f"{name} must be {what}, not {value!r}")


class _OverBudget(Exception):
    """Raised within a runtime that has had its time."""


class _Runners:
    """What can run a model, which has the operators as nodes of their domains where they have one; and
    why the others cannot.

    Attributes:
        inputs: the names of the graph's inputs.
        opset: of the default domain.
        run: the runtimes.
        missing: why others are none.
        native: how many nodes the library computes.
        nodes: how many nodes of the operators there are.
    """

    def __init__(self, path: Path, domain: Domain | None, budget: float) -> None:
        import onnxruntime  # type: ignore[import-untyped,unused-ignore]
        from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped,unused-ignore]

        self._budget = budget
        model = _loaded(path)
        self._path, self._ports = path, {entry.name: entry.type for entry in model.graph.input}
        imports = {entry.domain: int(entry.version) for entry in model.opset_import}
        self.inputs, self.opset = [entry.name for entry in model.graph.input], imports.get("", 1)
        self.run: dict[str, Callable[[_Feeds], Any]] = {}
        self.missing: dict[str, str] = {}
        self.native = 0
        count, bare = _nodes(model)
        if bare:
            self.missing = dict.fromkeys((_RUNTIME, _REFERENCE), f"{bare[0]} {_BARE}")
        else:
            cpu = {"providers": ["CPUExecutionProvider"]}
            try:
                self.run[_RUNTIME] = _runner(onnxruntime.InferenceSession(path, **cpu), budget)
            except state.NotImplemented as error:
                self.missing[_RUNTIME] = str(error).rpartition("NOT_IMPLEMENTED : ")[2]
            size = sum(file.stat().st_size for file in _files(path, model))
            if size > _LARGE:
                self.missing[_REFERENCE] = f"it is slow, and the model has {size / 2**20:.0f} MB"
            else:
                self.run[_REFERENCE] = _reference(path, budget)
        domains, written = nodes.checked_domains(domain), _written(model)
        own = {
            op: _own(op, (domains[str(op)], written.get(str(op), ""), op.domain), count)
            for op in OPERATORS
        }
        for op, found in own.items():
            wanted = domains[str(op)]
            if domain is not None and wanted and found and found[0][0] != wanted:
                raise ValueError(
                    f"{path} has the nodes of {op} in the domain {found[0][0]}, not {wanted}, where "
                    f'the library would not serve them; write domain="{found[0][0]}"'
                )
        self.nodes = sum(count[node] for found in own.values() for node in found)
        if served := {op: found[0][0] for op, found in own.items() if found and op.is_native}:
            before = native.library().onnxop_kernels()
            options = session_options(domain={str(op): each for op, each in served.items()})
            try:
                self.run[_NATIVE] = _runner(onnxruntime.InferenceSession(path, options), budget)
            except state.NotImplemented as error:  # of a node that is not the package's
                self.missing[_NATIVE] = str(error).rpartition("NOT_IMPLEMENTED : ")[2]
            self.native = native.library().onnxop_kernels() - before

    def check(self, feeds: _Feeds) -> None:
        """Raises ValueError where an array is none of the model's input of that name."""
        for name, array in feeds.items():
            if why := _misfit(self._ports[name], array):
                raise ValueError(f"{self._path}: the input {name} {why}")

    def first(self, feeds: _Feeds) -> tuple[str, Any]:
        """The first of the runtimes that has an answer, and that.

        Raises:
            AssertionError: none has.
        """
        for runtime in self.run:
            if (answer := self._answer(runtime, feeds)) is not None:
                return runtime, answer
        why = "".join(f"\n  {runtime}: {each}" for runtime, each in self.missing.items())
        raise AssertionError(f"{self._path}: nothing here runs it{why}")

    def compare(
        self, feeds: _Feeds, expected: Sequence[Any], into: _Comparison, besides: str = ""
    ) -> None:
        for runtime in self.run:
            if runtime != besides and (actual := self._answer(runtime, feeds)) is not None:
                into.add(runtime, expected, actual)

    def _answer(self, runtime: str, feeds: _Feeds) -> Any:
        """What the runtime computes, or None once it is noted why it does not."""
        if runtime in self.missing:
            return None
        try:
            with _told(f"{runtime} is at work, for {self._budget:.0f} s at most"):
                return self.run[runtime](feeds)
        except _OverBudget:
            self.missing[runtime] = f"it takes more than {self._budget:g} s"
        except Exception as error:
            # It covers some operators in part, GridSample before opset 20 among them.
            if runtime != _REFERENCE:
                raise
            self.missing[runtime] = f"{type(error).__name__}: {error}"
        return None


def _loaded(path: Path) -> Any:
    """The model in a file, without the weights beside it. Raises ValueError where it is none."""
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped,unused-ignore]

    try:
        model = onnx.load(path, load_external_data=False)
    except IsADirectoryError:
        raise ValueError(f"{path} is a folder; give the path of an ONNX file") from None
    except DecodeError as error:
        raise ValueError(f"{path} is no ONNX file: {error}") from None
    if not model.HasField("graph"):
        raise ValueError(f"{path} is no ONNX file: it has no graph")
    return model


def _misfit(port: Any, array: Any) -> str:
    """How an array is none of a model's input; empty where it is one."""
    from onnx import helper

    kind = port.tensor_type
    if port.WhichOneof("value") != "tensor_type":
        return ""
    wanted = helper.tensor_dtype_to_np_dtype(kind.elem_type)
    if array.dtype != wanted:
        return f"is of {wanted}, but {array.dtype} is given"
    if not kind.HasField("shape"):
        return ""
    sizes = [size.dim_value if size.HasField("dim_value") else None for size in kind.shape.dim]
    fits = len(sizes) == array.ndim and all(
        size in (None, given) for size, given in zip(sizes, array.shape, strict=True)
    )
    names = [size.dim_param or "?" for size in kind.shape.dim]
    words = [name if size is None else str(size) for name, size in zip(names, sizes, strict=True)]
    return "" if fits else f"has the sizes [{', '.join(words)}], but {[*array.shape]} are given"


@dataclass
class _Comparison:
    """What was found so far."""

    rtol: float | None
    atol: float | None
    errors: dict[str, float] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)

    def add(self, runtime: str, expected: Sequence[Any], actual: Sequence[Any]) -> None:
        error, found = _compare(expected, actual, self.rtol, self.atol)
        self.errors[runtime] = float(np.maximum(error, self.errors.get(runtime, 0.0)))
        self.failures.setdefault(runtime, []).extend(found)

    def result(self, exporter: str, runners: _Runners, against: str = "PyTorch") -> Verification:
        errors, failures, missing = self.errors, self.failures, runners.missing
        if failures.get(_REFERENCE) and not failures.get(_RUNTIME, [""]):
            # It has mistakes of its own, in RoiAlign before opset 16 among others.
            missing[_REFERENCE] = (
                f"PyTorch and ONNX Runtime agree, but {failures.pop(_REFERENCE)[0]}"
            )
            del errors[_REFERENCE]
        found = Verification(
            exporter,
            runners.opset,
            errors,
            missing,
            tuple(f"{runtime}: {each}" for runtime in failures for each in failures[runtime]),
            runners.native,
            runners.nodes,
            against,
        )
        if found.failures or not (errors or any(why.endswith(_BARE) for why in missing.values())):
            raise AssertionError(str(found))
        return found


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Says what is at work where it takes long."""
    timer = threading.Timer(_QUIET, lambda: print(f"verify: {what}", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _files(path: Path, model: Any) -> list[Path]:
    """The model's file, and those that hold its weights."""
    stored = {
        entry.value
        for tensor in model.graph.initializer
        for entry in tensor.external_data
        if entry.key == "location"
    }
    return [path, *(path.parent / name for name in sorted(stored))]


def _reference(path: Path, budget: float) -> Callable[[_Feeds], Any]:
    """``onnx.reference`` in a thread of its own, as Python can be interrupted there."""
    from onnx.reference import ReferenceEvaluator

    def run(feeds: _Feeds) -> Any:
        answers: list[Any] = []

        def work() -> None:
            try:
                answers.append(ReferenceEvaluator(os.fspath(path)).run(None, feeds))
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is told below
                answers.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(budget)
        while thread.is_alive():
            native.interrupt(thread, _OverBudget)
            thread.join(0.1)
        if isinstance(answers[0], BaseException):
            raise answers[0]
        return answers[0]

    return run


def _runner(session: Any, budget: float) -> Callable[[_Feeds], Any]:
    """Runs the session on arrays, until the budget is spent. ONNX Runtime's own have no bfloat16: such
    values go in as their bits, and come out as PyTorch's tensors.
    """
    from onnxruntime import OrtValue, RunOptions

    ports = [*session.get_inputs(), *session.get_outputs()]
    names = [port.name for port in session.get_outputs()]
    has_bfloat16 = any(port.type == "tensor(bfloat16)" for port in ports)

    def to_value(array: Any) -> Any:
        if array.dtype != _bfloat16():
            return OrtValue.ortvalue_from_numpy(array)
        return OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), _BFLOAT16)

    def to_array(value: Any) -> Any:
        if value.element_type() != _BFLOAT16:
            return value.numpy()
        return _numpy(torch.utils.dlpack.from_dlpack(value._ortvalue.to_dlpack()))

    def run(feeds: _Feeds) -> Any:
        options = RunOptions()
        timer = threading.Timer(budget, setattr, (options, "terminate", True))
        timer.daemon = True
        timer.start()
        try:
            if not has_bfloat16:
                return session.run(names, feeds, options)
            values = {name: to_value(array) for name, array in feeds.items()}
            return [
                to_array(value) for value in session.run_with_ort_values(names, values, options)
            ]
        except Exception:
            if options.terminate:
                raise _OverBudget from None
            raise
        finally:
            timer.cancel()

    return run


_Node = tuple[str, str]  # domain and op type


def _nodes(model: Any) -> tuple[Counter[_Node], list[str]]:
    """How often the model has each node, those of subgraphs and of functions included; and those of
    domains other than ONNX's and ONNX Runtime's that have no function body.
    """
    functions = {(function.domain, function.name): function for function in model.functions}
    found: Counter[_Node] = Counter()

    def count(part: Any, times: int) -> None:
        inner = Counter((node.domain, node.op_type) for node in nodes_of(part))
        for node, number in inner.items():
            found[node] += times * number
            if node in functions:
                count(functions[node], times * number)

    count(model.graph, 1)
    known = ("ai.onnx", "com.microsoft")
    bare = [node for node in found if node[0] and not node[0].startswith(known)]
    return found, sorted(f"{domain}::{op}" for domain, op in bare if (domain, op) not in functions)


def _written(model: Any) -> dict[str, str]:
    """The domains of the operators, by name, as the model's metadata have them."""
    found = {entry.key: entry.value for entry in model.metadata_props}
    return {
        str(op): json.loads(found[key])["domain"]
        for op in OPERATORS
        if (key := f"onnxop.{op}") in found
    }


def _own(operator: Operator, domains: Sequence[str], found: Counter[_Node]) -> list[_Node]:
    """The operator's nodes among these, in the first of the domains that has any."""
    for domain in domains:
        if own := [(d, op) for d, op in found if d == domain != "" and is_of(operator, op)]:
            return own
    return []


def _expected(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Tensor]:
    called = model.module() if isinstance(model, torch.export.ExportedProgram) else model
    with torch.no_grad():
        outputs = called(*args, **kwargs)
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


_BFLOAT16 = 16  # in onnx.TensorProto


def _bfloat16() -> Any:
    """The dtype of arrays that onnx reads as bfloat16: numpy has none of its own."""
    from onnx import helper

    return helper.tensor_dtype_to_np_dtype(_BFLOAT16)


def _numpy(tensor: Tensor) -> Any:
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(_bfloat16())
    return tensor.numpy()


def _compare(
    expected: Sequence[Any], actual: Sequence[Any], rtol: float | None, atol: float | None
) -> tuple[float, list[str]]:
    """The worst absolute error over the outputs, and what is out of tolerance."""
    worst, failures = 0.0, []
    for position, (wanted, found) in enumerate(zip(expected, actual, strict=True)):
        if wanted.shape != found.shape or wanted.dtype != found.dtype:
            failures.append(
                f"output {position} is {found.dtype}{list(found.shape)}, "
                f"not {wanted.dtype}{list(wanted.shape)}"
            )
            continue
        default_rtol, default_atol = _TOLERANCES.get(str(wanted.dtype), (0.0, 0.0))
        relative = default_rtol if rtol is None else rtol
        absolute = default_atol if atol is None else atol
        with np.errstate(invalid="ignore"):
            difference = np.abs(wanted.astype(np.float64) - found.astype(np.float64))
        same = (wanted == found) | (np.isnan(wanted) & np.isnan(found))
        difference = np.where(same, 0.0, difference)
        worst = float(np.maximum(worst, difference.max(initial=0.0)))  # NaN stays NaN
        close = same | (difference <= absolute + relative * np.abs(wanted.astype(np.float64)))
        if not close.all():
            failures.append(
                f"output {position}: {np.count_nonzero(~close)} of {close.size} elements differ "
                f"by more than {absolute} + {relative} * |expected|"
            )
    return worst, failures
