"""ONNX Runtime sessions with the libraries of packages, for serving."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..exporting.call.checked_export import Exporter
from ..exporting.domain_nodes.domains import all_native
from ..model_nodes import check
from ..operator.library import CPU, Library
from ..operator.model import Operator
from ..optional_imports import need
from . import cuda
from .openvino import Node
from .runners import count_nodes, is_custom, loaded, nodes_by_operator
from .session import Compiled, add_library

Served = dict[str, dict[str, dict[str, int]]]
"""The number of nodes that libraries compute, by package, operator and provider."""


def session(
    package: Compiled,
    /,
    path: str | os.PathLike[str],
    options: object = None,
    *,
    require_native: bool = False,
    **keywords: object,
) -> Any:
    """Return a session of ONNX Runtime with the library registered in the domains of the model's
    nodes.

    Args:
        path: the model's file.
        options: session options to add the library to, such as those from `session_options` of
            another package.
        require_native: require that the library computes all nodes of the package's operators, and
            at least one.
        keywords: other arguments of ``onnxruntime.InferenceSession``.

    Returns:
        An ``onnxruntime.InferenceSession`` with an attribute ``served``, the number of nodes that
        the library computes, by package, operator and provider: ``{"my_add": {"my_lib::my_add":
        {"cpu": 3}}}``. It has the operators with nodes in the model. If the library computes none,
        a line on stderr says so. A session with the CUDA provider gets the library for CUDA, too,
        if the package is built for it: ``{"my_add": {"my_lib::my_add": {"cpu": 0, "cuda": 3}}}``.

    Raises:
        RuntimeError: ``require_native``, but the library does not compute all nodes.
        ValueError: a node has an unknown attribute, or a later version than the library.
        ImportError: the package is not built.
    """
    model = _Model.read(package, path)
    libraries = [package.library]
    result = model.session(options, libraries, keywords)
    if require_native:
        model.check_is_native(result.served, model.registered_nodes, libraries)
    return result


def session_of_all(
    packages: Exporter,
    /,
    path: str | os.PathLike[str],
    options: object = None,
    *,
    require_native: bool = False,
    **keywords: object,
) -> Any:
    """Return a session of ONNX Runtime with the libraries of all imported packages that have nodes
    in the model.

    Args:
        path: the model's file.
        options: session options to add the libraries to.
        require_native: require that libraries compute all nodes whose ops are neither ONNX's nor
            ONNX Runtime's, and at least one.
        keywords: other arguments of ``onnxruntime.InferenceSession``.

    Returns:
        An ``onnxruntime.InferenceSession`` with an attribute ``served``, the number of nodes that
        libraries compute, by package, operator and provider: ``{"my_add": {"my_lib::my_add":
        {"cpu": 3}}}``. It has the operators with nodes in the model. A session with the CUDA
        provider gets the libraries for CUDA, too: ``{"my_add": {"my_lib::my_add": {"cpu": 0,
        "cuda": 3}}}``.

    Raises:
        RuntimeError: ``require_native``, but a node has no kernel in an imported package.
        ValueError: a node has an unknown attribute, or a later version than its library.
        ImportError: a package with nodes in the model is not built.
    """
    model = _Model.read(packages, path)
    result = model.session(options, model.libraries, keywords)
    if require_native:
        custom = [node for node in model.count if is_custom(node)]
        model.check_is_native(result.served, custom, model.libraries)
    return result


@dataclass(frozen=True)
class _Model:
    """A model's file, and the nodes of registered operators in it."""

    path: Path
    model: Any
    count: Counter[Node]
    """The number of each node."""
    nodes: Mapping[Operator, list[Node]]
    """The nodes of each operator that has any; of two operators with one node, the first."""

    @classmethod
    def read(cls, package: Exporter, path: str | os.PathLike[str]) -> _Model:
        need("session", "onnx", "onnxruntime")
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"session takes the path of a model, not {type(path).__name__}")
        path = Path(path)
        model = loaded(path)
        count, _ = count_nodes(model)
        nodes: dict[Operator, list[Node]] = {}
        assigned: set[Node] = set()
        for operator, op_nodes in nodes_by_operator(package.operators, model, None, count).items():
            unassigned = [node for node in op_nodes if node not in assigned]
            if unassigned:
                nodes[operator] = unassigned
                assigned.update(unassigned)
        return cls(path, model, count, nodes)

    @property
    def registered_nodes(self) -> set[Node]:
        """The nodes of the operators."""
        return {node for op_nodes in self.nodes.values() for node in op_nodes}

    @property
    def domains(self) -> dict[Operator, str]:
        """The domain of each operator's nodes."""
        return {operator: op_nodes[0][0] for operator, op_nodes in self.nodes.items()}

    @property
    def libraries(self) -> list[Library]:
        """The libraries of the packages whose operators have kernels and nodes."""
        return list(dict.fromkeys(op.package.library for op in self.nodes if op.is_native))

    def session(
        self, options: object, libraries: Collection[Library], keywords: Mapping[str, object]
    ) -> Any:
        """Return a session with these libraries, and its attribute ``served``."""
        import onnxruntime  # type: ignore[import-untyped,unused-ignore]

        options = onnxruntime.SessionOptions() if options is None else options
        is_on_gpu = cuda.is_requested(options, keywords)
        for library in libraries:
            domains = {
                op: domain
                for op, domain in self.domains.items()
                if op.is_native and op.package.library is library
            }
            by_name = {str(op): domain for op, domain in domains.items()}
            check(self.path, self.model, library.operators, by_name)
            add_library(options, library, domains, for_cuda=is_on_gpu and library.has_cuda)
        result = onnxruntime.InferenceSession(self.path, options, **keywords)
        result.served = self._served(libraries)
        return result

    def _served(self, libraries: Collection[Library]) -> Served:
        """Return what the libraries compute in the last session."""
        by_node: dict[str, dict[str, int]] = {}
        for library in libraries:
            by_node |= library.served(str(self.path))
        served: Served = {}
        for operator, op_nodes in self.nodes.items():
            counts = Counter({CPU: 0})
            for node in op_nodes:
                counts.update(by_node.get("::".join(node), {}))
            served.setdefault(operator.package.name, {})[str(operator)] = dict(counts)
        return served

    def check_is_native(
        self, served: Served, required: Collection[Node], libraries: Collection[Library]
    ) -> None:
        """Raise RuntimeError unless libraries compute all these nodes, and there are any."""
        computed = {op: sum(served[op.package.name][str(op)].values()) for op in self.nodes}
        native = [node for op, op_nodes in self.nodes.items() if computed[op] for node in op_nodes]
        needed, _ = count_nodes(self.model, native)
        lacking: set[Node] = set()  # nodes of which the libraries compute too few
        for operator, op_nodes in self.nodes.items():
            if computed[operator] < sum(needed[node] for node in op_nodes):
                lacking |= {*op_nodes}
        unknown = [node for node in required if needed[node] and node not in self.registered_nodes]
        missing = sorted((lacking | {*unknown}) & {*required})
        number = sum(computed.values())
        if number and not missing:
            return
        fact = "the model has no node of a domain"
        if total := sum(needed[node] for node in required):
            paths = " and ".join(library.path for library in libraries) or "no library"
            verb = "compute" if len(libraries) > 1 else "computes"
            noun = "node" if total == 1 else "nodes"
            fact = f"of {total} {noun} {paths} {verb} {number}"
        if missing:
            fact += f", and no {' and '.join(map('::'.join, missing))}"
        raise RuntimeError(f"{self.path}: require_native, but {fact}; {self._remedy(unknown)}")

    def _remedy(self, unknown: Collection[Node]) -> str:
        """Return how to make all nodes native."""
        if unknown:
            names = " and ".join(sorted(map("::".join, unknown)))
            return f"import the package of {names} before you call session"
        composed = [str(op) for op in self.nodes if not op.is_native]
        if not composed:
            return "call export(..., domain=..., function_bodies=False)"
        remedy = (
            f"{' and '.join(composed)} has no C++ kernel: load the model without require_native"
        )
        return remedy + all_native(self.domains)
