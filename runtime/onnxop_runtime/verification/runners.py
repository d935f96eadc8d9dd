"""The runtimes that can run an exported model, and the reasons why others cannot."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..exporting.call.checked_export import Domain, Exporter
from ..exporting.domain_nodes.domains import checked_domains
from ..exporting.domain_nodes.function_bodies import is_of
from ..model_nodes import check, nodes_of, versions, written_domains
from ..operator.library import CUDA, Library
from ..operator.model import Operator
from . import cuda, openvino
from .openvino import Node
from .session import add_library

if TYPE_CHECKING:
    import onnx

Array = np.ndarray[Any, Any]
Feeds = dict[str, Array]
Run = Callable[[Feeds], list[Array]]
"""Runs a model on arrays by name; returns its results."""

ONNX_RUNTIME, REFERENCE, NATIVE = "ONNX Runtime", "onnx.reference", "native kernel"
NATIVE_ON_CUDA = "native kernel, CUDA"
OPENVINO = "OpenVINO"
BARE = "has no function body"

LIMIT = f"a limit of {REFERENCE}"
"""The reason why onnx.reference is not compared, if ONNX Runtime runs the model."""
_LARGE = 16 * 2**20  # bytes: onnx.reference is not tried on larger models, weights included
_BFLOAT16 = 16  # in onnx.TensorProto


def _sizes(entry: onnx.ValueInfoProto) -> list[int | None] | None:
    """Return the sizes of an input, None for a dynamic one; None if its rank is unknown."""
    tensor_type = entry.type.tensor_type
    if not tensor_type.HasField("shape"):
        return None
    dims = tensor_type.shape.dim
    return [int(dim.dim_value) if dim.HasField("dim_value") else None for dim in dims]


class Runners:
    """The runtimes for a model, in which the operators may be nodes of custom domains."""

    def __init__(self, package: Exporter, path: Path, domain: Domain | None, budget: float) -> None:
        model = loaded(path)
        imports = {entry.domain: int(entry.version) for entry in model.opset_import}
        self.path = path
        self.inputs = [entry.name for entry in model.graph.input]
        self.sizes = {entry.name: _sizes(entry) for entry in model.graph.input}
        """The sizes of each input, None for a dynamic one; None if its rank is unknown."""
        self.complex_inputs = {entry.name for entry in model.graph.input if _is_complex(entry)}
        self.opset = imports.get("", 1)
        self.run: dict[str, Run] = {}
        self.missing: dict[str, str] = {}
        """The reason why a runtime cannot run the model."""
        self.native = 0
        """The number of nodes that the library computes."""
        self.cuda = 0
        """The number of nodes that the library for CUDA computes."""
        self.inlined: list[str] = []
        """The nodes whose functions are inlined for OpenVINO."""
        count, bare = count_nodes(model)
        nodes = nodes_by_operator(package.operators, model, domain, count)
        self.nodes = sum(count[node] for op_nodes in nodes.values() for node in op_nodes)
        if bare:
            self.missing = dict.fromkeys((ONNX_RUNTIME, REFERENCE), f"{bare[0]} {BARE}")
        else:
            self._load(ONNX_RUNTIME)
            self._load_reference(model, budget)
        libraries: dict[Library, dict[Operator, str]] = {}
        for op, op_nodes in nodes.items():
            if op_nodes and op.is_native:
                libraries.setdefault(op.package.library, {})[op] = op_nodes[0][0]
        if libraries:
            self._load_native(model, libraries)
        hosts = [library for library in libraries if library.has_openvino]
        if hosts and importlib.util.find_spec("openvino"):
            self._load_openvino(model, hosts, nodes)

    def _load_reference(self, model: onnx.ModelProto, budget: float) -> None:
        """Have onnx.reference run the model, unless it is large."""
        stored = (entry for tensor in model.graph.initializer for entry in tensor.external_data)
        folder = self.path.parent
        files = {self.path, *(folder / e.value for e in stored if e.key == "location")}
        size = sum(file.stat().st_size for file in files)
        if size > _LARGE:
            self.missing[REFERENCE] = f"too slow for a model of {size / 2**20:.0f} MB"
        else:
            self.run[REFERENCE] = _reference(self.path, budget)

    def _load_openvino(
        self,
        model: onnx.ModelProto,
        hosts: Collection[Library],
        nodes: Mapping[Operator, Sequence[Node]],
    ) -> None:
        """Load the model in OpenVINO with the libraries that are built for it."""
        by_type = versions(model)
        hosted: list[Node] = []
        for operator, op_nodes in nodes.items():
            if not operator.is_native or operator.package.library not in hosts:
                continue
            # OpenVINO knows the operator's own domain and version; other nodes are inlined.
            own_nodes = [node for node in op_nodes if node[0] == operator.domain]
            hosted += [node for node in own_nodes if by_type[node] == {operator.version}]
        try:
            self.run[OPENVINO], self.inlined = openvino.load(hosts, self.path, model, hosted)
        except RuntimeError as error:
            self.missing[OPENVINO] = " ".join(str(error).split())

    def _load_native(
        self, model: onnx.ModelProto, libraries: Mapping[Library, Mapping[Operator, str]]
    ) -> None:
        """Load the model with libraries whose operators are nodes of these domains."""
        for library, domains in libraries.items():
            homes = {str(operator): domain for operator, domain in domains.items()}
            check(self.path, model, library.operators, homes)
        self._load(NATIVE, _options_with(libraries, for_cuda=False))
        self.native = sum(sum(counts.values()) for counts in _served(libraries))
        if any(library.has_cuda for library in libraries) and cuda.is_usable():
            self._load(NATIVE_ON_CUDA, _options_with(libraries, for_cuda=True), cuda.PROVIDERS)
            self.cuda = sum(counts.get(CUDA, 0) for counts in _served(libraries))

    def _load(
        self, runtime: str, options: Any = None, providers: Sequence[str] = cuda.PROVIDERS[-1:]
    ) -> None:
        """Load the model in ONNX Runtime, or record the node without a kernel."""
        import onnxruntime  # type: ignore[import-untyped,unused-ignore]
        from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped,unused-ignore]

        try:
            options = options or onnxruntime.SessionOptions()
            options.log_severity_level = 4  # it raises what it would log
            # Its threads wait for work at full speed, which takes longer than small models do.
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            session = onnxruntime.InferenceSession(self.path, options, providers=[*providers])
        except state.NotImplemented as error:
            self.missing[runtime] = str(error).rpartition("NOT_IMPLEMENTED : ")[2]
            return
        lacking = [name for name in providers if name not in session.get_providers()]
        if lacking:
            self.missing[runtime] = f"ONNX Runtime does not load its {lacking[0]}"
            return
        self.run[runtime] = runner(session)

    def answers(self, feeds: Feeds) -> Iterator[tuple[str, list[Array]]]:
        """Yield the results of each runtime that can compute them."""
        for runtime in [runtime for runtime in self.run if runtime not in self.missing]:
            try:
                yield runtime, self.run[runtime](feeds)
            except Exception as error:
                # onnx.reference supports some ops in part, such as GridSample before opset 20.
                if runtime != REFERENCE:
                    raise
                first_line = str(error).partition("\n")[0]  # a list of all supported ops may follow
                reason = f"{type(error).__name__}: {first_line}"
                is_limit = ONNX_RUNTIME in self.run and not isinstance(error, TimeoutError)
                self.missing[runtime] = f"{LIMIT}: {reason}" if is_limit else reason


def _options_with(libraries: Mapping[Library, Mapping[Operator, str]], *, for_cuda: bool) -> object:
    """Return session options with libraries in these domains, with or without those for CUDA."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    for library, domains in libraries.items():
        add_library(options, library, domains, for_cuda=for_cuda and library.has_cuda)
    return options


def _served(libraries: Collection[Library]) -> list[dict[str, int]]:
    """Return how many times the libraries compute each node of the last session, by provider."""
    return [counts for library in libraries for counts in library.served().values()]


def loaded(path: Path) -> onnx.ModelProto:
    """Return the model in a file, without external weights. Raise ValueError if it is not an ONNX
    file.
    """
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped,unused-ignore]

    if not _is_utf8(path):
        raise ValueError(
            f"{os.fsencode(path)!r} is not UTF-8, and ONNX Runtime opens no such file; rename it"
        )
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not an ONNX file, because it is no file")
    try:
        model = onnx.load(path, load_external_data=False)
    except DecodeError as error:
        raise ValueError(f"{path} is not an ONNX file: {error}") from None
    if not model.HasField("graph"):
        raise ValueError(f"{path} is not an ONNX file: it has no graph")
    return model


def _is_complex(entry: onnx.ValueInfoProto) -> bool:
    from onnx import TensorProto

    complex_types = TensorProto.COMPLEX64, TensorProto.COMPLEX128
    return entry.type.tensor_type.elem_type in complex_types


def _is_utf8(path: Path) -> bool:
    try:
        os.fspath(path).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _raise_in(thread: threading.Thread, error: type[Exception]) -> None:
    """Raise an error in a running thread of Python, at its next step."""
    identity = ctypes.c_ulong(thread.ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(error))


def _reference(path: Path, budget: float) -> Run:
    """Return a function that runs ``onnx.reference`` in a thread and stops it after ``budget``
    seconds.
    """
    from onnx.reference import ReferenceEvaluator

    def run(feeds: Feeds) -> list[Array]:
        answers: list[list[Array] | BaseException] = []

        def work() -> None:
            try:
                results: Any = ReferenceEvaluator(os.fspath(path)).run(None, feeds)
                answers.append(results)
            except BaseException as error:  # noqa: BLE001 - raised below
                answers.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(budget)
        while thread.is_alive():
            _raise_in(thread, TimeoutError)
            thread.join(0.1)
        # None, if the error arrived between two steps of the thread.
        answer = answers[0] if answers else TimeoutError()
        if isinstance(answer, TimeoutError):
            raise TimeoutError(f"it takes more than {budget:g} s")
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return run


def runner(session: Any) -> Run:
    """Return a function that runs an ONNX Runtime session on arrays by name. bfloat16, which numpy
    lacks, is passed as bits and returned in onnx's dtype.
    """
    from onnxruntime import OrtValue

    ports = [*session.get_inputs(), *session.get_outputs()]
    names = [port.name for port in session.get_outputs()]
    if not any(port.type == "tensor(bfloat16)" for port in ports):
        return lambda feeds: session.run(names, feeds)

    def to_value(array: Array) -> object:
        if array.dtype != _bfloat16():
            return OrtValue.ortvalue_from_numpy(array)
        return OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), _BFLOAT16)

    def to_array(value: Any) -> Array:
        if value.element_type() != _BFLOAT16:
            array: Array = value.numpy()
            return array
        return as_array(torch.utils.dlpack.from_dlpack(value._ortvalue.to_dlpack()))

    def run(feeds: Feeds) -> list[Array]:
        values = {name: to_value(array) for name, array in feeds.items()}
        return [*map(to_array, session.run_with_ort_values(names, values))]

    return run


def count_nodes(
    model: onnx.ModelProto, native: Collection[Node] = ()
) -> tuple[Counter[Node], list[str]]:
    """Return the number of each node in a model, and the custom ones without a function body. Nodes
    within functions count for each call, but not those of calls that are ``native``, whose
    functions do not run.
    """
    functions = {(function.domain, function.name): function for function in model.functions}
    by_function: dict[Node, Counter[Node]] = {}
    callers: list[Node] = []

    def nodes_in(part: Any) -> Counter[Node]:
        total: Counter[Node] = Counter()
        direct = Counter((node.domain, node.op_type) for node in nodes_of(part.node))
        for node, number in direct.items():
            total[node] += number
            if node in functions and node not in native:
                for inner, times in nodes_in_function(node).items():
                    total[inner] += times * number
        return total

    def nodes_in_function(name: Node) -> Counter[Node]:
        if name in callers:
            raise ValueError(
                f"the function {'::'.join(name)} calls itself, which ONNX does not allow"
            )
        if name not in by_function:
            callers.append(name)
            by_function[name] = nodes_in(functions[name])
            callers.pop()
        return by_function[name]

    counts = nodes_in(model.graph)
    bare = [node for node in counts if is_custom(node) and node not in functions]
    return counts, sorted(map("::".join, bare))


def is_custom(node: Node) -> bool:
    """Return whether an op is neither ONNX's nor ONNX Runtime's."""
    domain, _ = node
    return bool(domain) and not domain.startswith(("ai.onnx", "com.microsoft"))


def nodes_by_operator(
    operators: Sequence[Operator],
    model: onnx.ModelProto,
    domain: Domain | None,
    count: Counter[Node],
) -> dict[Operator, list[Node]]:
    """Return the nodes of each operator, in the first domain with any: the requested one, the one
    in the model's metadata, or the operator's own.
    """
    requested = checked_domains(operators, domain)
    written = written_domains(model)
    nodes: dict[Operator, list[Node]] = {}
    for operator in operators:
        domains = requested[operator], written.get(str(operator)), operator.domain
        candidates = [node for node in count if is_of(operator, node[1])]
        by_domain = ([node for node in candidates if node[0] == name] for name in domains if name)
        nodes[operator] = next(filter(None, by_domain), [])
    return nodes


def _bfloat16() -> object:
    """Return onnx's dtype for bfloat16 arrays, which numpy lacks."""
    from onnx import helper

    return helper.tensor_dtype_to_np_dtype(_BFLOAT16)


def as_array(tensor: Tensor) -> Array:
    """Return a tensor as a numpy array."""
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg()
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(_bfloat16())
    return tensor.numpy()
