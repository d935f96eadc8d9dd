"""The runtimes that an exported model is compared in: what can run it, and why others cannot."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..exporting import nodes
from ..exporting.export import Domain
from ..exporting.functions import is_of
from ..exporting.protos import nodes_of
from ..operator.description import Operator
from .session import Served, session_options

Feeds = dict[str, Any]

ONNX_RUNTIME, REFERENCE, NATIVE = "ONNX Runtime", "onnx.reference", "native kernel"
BARE = "has no function body"

_QUIET = 3.0  # seconds of work before a word of it
_LARGE = 16 * 2**20  # bytes of a model, weights included, that onnx.reference is not tried on


class _OverBudget(Exception):
    """Raised within a runtime that has had its time."""


class Runners:
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

    def __init__(self, package: Served, path: Path, domain: Domain | None, budget: float) -> None:
        self._path, self._budget = path, budget
        model = _loaded(path)
        self._ports = {entry.name: entry.type for entry in model.graph.input}
        imports = {entry.domain: int(entry.version) for entry in model.opset_import}
        self.inputs, self.opset = [entry.name for entry in model.graph.input], imports.get("", 1)
        self.run: dict[str, Callable[[Feeds], Any]] = {}
        self.missing: dict[str, str] = {}
        self.native = 0
        count, bare = _nodes(model)
        own = _own_nodes(package.operators, path, model, domain, count)
        self.nodes = sum(count[node] for found in own.values() for node in found)
        if bare:
            self.missing = dict.fromkeys((ONNX_RUNTIME, REFERENCE), f"{bare[0]} {BARE}")
        else:
            self._load(ONNX_RUNTIME, providers=["CPUExecutionProvider"])
            size = sum(file.stat().st_size for file in _files(path, model))
            if size > _LARGE:
                self.missing[REFERENCE] = f"it is slow, and the model has {size / 2**20:.0f} MB"
            else:
                self.run[REFERENCE] = _reference(path, budget)
        if served := {str(op): found[0][0] for op, found in own.items() if found and op.is_native}:
            before = package.library.kernels()
            self._load(NATIVE, session_options(package, domain=served))
            self.native = package.library.kernels() - before

    def _load(self, runtime: str, *options: Any, **keywords: Any) -> None:
        """Has ONNX Runtime load the model, or notes which node it knows no kernel of."""
        import onnxruntime  # type: ignore[import-untyped,unused-ignore]
        from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped,unused-ignore]

        try:
            session = onnxruntime.InferenceSession(self._path, *options, **keywords)
        except state.NotImplemented as error:
            self.missing[runtime] = str(error).rpartition("NOT_IMPLEMENTED : ")[2]
        else:
            self.run[runtime] = runner(session, self._budget)

    def check(self, feeds: Feeds) -> None:
        """Raises ValueError where an array is none of the model's input of that name."""
        for name, array in feeds.items():
            if why := _misfit(self._ports[name], array):
                raise ValueError(f"{self._path}: the input {name} {why}")

    def first(self, feeds: Feeds) -> tuple[str, Any]:
        """The first of the runtimes that has an answer, and that.

        Raises:
            AssertionError: none has.
        """
        for runtime in self.run:
            if (answer := self._answer(runtime, feeds)) is not None:
                return runtime, answer
        why = "".join(f"\n  {runtime}: {each}" for runtime, each in self.missing.items())
        raise AssertionError(f"{self._path}: nothing here runs it{why}")

    def answers(self, feeds: Feeds, besides: str = "") -> Iterator[tuple[str, Any]]:
        """What each of the runtimes computes, but for one, and those that do not."""
        for runtime in self.run:
            if runtime != besides and (answer := self._answer(runtime, feeds)) is not None:
                yield runtime, answer

    def _answer(self, runtime: str, feeds: Feeds) -> Any:
        """What the runtime computes, or None once it is noted why it does not."""
        if runtime in self.missing:
            return None
        try:
            with told(f"{runtime} is at work, for {self._budget:.0f} s at most"):
                return self.run[runtime](feeds)
        except _OverBudget:
            self.missing[runtime] = f"it takes more than {self._budget:g} s"
        except Exception as error:
            # It covers some operators in part, GridSample before opset 20 among them.
            if runtime != REFERENCE:
                raise
            said = str(error).partition("\n")[0]  # the list of all operators that it has may follow
            self.missing[runtime] = f"{type(error).__name__}: {said}"
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


@contextmanager
def told(what: str) -> Iterator[None]:
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


def _reference(path: Path, budget: float) -> Callable[[Feeds], Any]:
    """``onnx.reference`` in a thread of its own, as Python can be interrupted there."""
    from onnx.reference import ReferenceEvaluator

    def run(feeds: Feeds) -> Any:
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
            _interrupt(thread, _OverBudget)
            thread.join(0.1)
        if isinstance(answers[0], BaseException):
            raise answers[0]
        return answers[0]

    return run


def _interrupt(thread: threading.Thread, exception: type[BaseException]) -> None:
    """Have the exception raised in a thread, where it runs Python's code."""
    identity = ctypes.c_ulong(thread.ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(exception))


def runner(session: Any, budget: float) -> Callable[[Feeds], Any]:
    """Return what runs a session of ONNX Runtime on arrays by name, for so many seconds at most. ONNX
    Runtime's own have no bfloat16: such values go in as their bits, and come out as PyTorch's tensors.
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
        return as_array(torch.utils.dlpack.from_dlpack(value._ortvalue.to_dlpack()))

    def run(feeds: Feeds) -> Any:
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
        inner = Counter((node.domain, node.op_type) for node in nodes_of(part.node))
        for node, number in inner.items():
            found[node] += times * number
            if node in functions:
                count(functions[node], times * number)

    count(model.graph, 1)
    known = ("ai.onnx", "com.microsoft")
    bare = [node for node in found if node[0] and not node[0].startswith(known)]
    return found, sorted(f"{domain}::{op}" for domain, op in bare if (domain, op) not in functions)


def _written(own: Sequence[Operator], model: Any) -> dict[str, str]:
    """The domains of the operators, by name, as the model's metadata have them."""
    found = {entry.key: entry.value for entry in model.metadata_props}
    return {
        str(op): json.loads(found[key])["domain"] for op in own if (key := f"onnxop.{op}") in found
    }


def _own_nodes(
    operators: Sequence[Operator],
    path: Path,
    model: Any,
    domain: Domain | None,
    count: Counter[_Node],
) -> dict[Operator, list[_Node]]:
    """The nodes of each operator. Raises ValueError where they are in another domain than is said."""
    domains, written = nodes.checked_domains(operators, domain), _written(operators, model)
    found: dict[Operator, list[_Node]] = {}
    for op in operators:
        wanted = domains[op]
        found[op] = _own(op, (wanted, written.get(str(op), ""), op.domain), count)
        if domain is not None and wanted and found[op] and found[op][0][0] != wanted:
            held = found[op][0][0]
            raise ValueError(
                f"{path} has the nodes of {op} in the domain {held}, not {wanted}, where the library "
                f'would not serve them; write domain="{held}"'
            )
    return found


def _own(operator: Operator, domains: Sequence[str], found: Counter[_Node]) -> list[_Node]:
    """The operator's nodes among these, in the first of the domains that has any."""
    for domain in domains:
        if own := [(d, op) for d, op in found if d == domain != "" and is_of(operator, op)]:
            return own
    return []


_BFLOAT16 = 16  # in onnx.TensorProto


def _bfloat16() -> Any:
    """The dtype of arrays that onnx reads as bfloat16: numpy has none of its own."""
    from onnx import helper

    return helper.tensor_dtype_to_np_dtype(_BFLOAT16)


def as_array(tensor: Tensor) -> Any:
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(_bfloat16())
    return tensor.numpy()
