"""Mapping or model → the ONNX Runtime releases that run it on the CPU, by
tests/tools/runtime_ops.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnxop_runtime.mapping.definitions import ELEMENT_TYPES, definition
from onnxop_runtime.mapping.opsets import Opsets, ops_of
from onnxop_runtime.messages import some
from onnxop_runtime.model_nodes import name_of, nodes_of

if TYPE_CHECKING:
    import onnx

OLDEST = 17
"""The first minor release that was tried, which is the first that libraries serve."""


def without_kernel(to_onnx: Callable[..., object], opsets: Opsets) -> list[str]:
    """Return a message for the opset versions at which no ONNX Runtime has a mapping's kernels."""
    messages = []
    lacking = {o: [op for op in ops_of(to_onnx, o) if _since(op, o) is None] for o in opsets.holds}
    for ops, group in groupby(sorted(lacking), lacking.__getitem__):
        versions = [*group]
        first, last = versions[0], versions[-1]
        at = f"opset {first}" if first == last else f"opsets {first} to {last}"
        if ops:
            messages.append(
                f"at {at} ONNX Runtime has no kernel of {' and '.join(ops)}, in any release up to "
                f"1.{_table()['newest']}; tests skip what onnx.reference does not run there either"
            )
    return messages


@dataclass(frozen=True)
class Needs:
    """The features of ONNX Runtime that a model needs to run on the CPU.

    ``features`` are, by description, the first minor release that has it (None if unknown), and
    the nodes that need it. ``tried`` is a minor release that runs the model.
    """

    features: Mapping[str, tuple[int | None, list[str]]]
    tried: int

    @property
    def first(self) -> int:
        """Return the first minor release that is known to run the model."""
        releases = [self.tried if since is None else since for since, _ in self.features.values()]
        return min(self.tried, max(releases))

    def lacking(self, release: int) -> str:
        """Return what a release lacks for the model, as a message."""
        missing = []
        for feature, (since, nodes) in self.features.items():
            if since is None or since > max(release, OLDEST):
                first_runtime = f"since 1.{since}"
                if since is None:
                    first_runtime = f"in 1.{self.tried}, earlier ones are unknown"
                users = f" ({some(nodes)})" if nodes else ""
                missing.append(f"{feature}{users}, {first_runtime}")
        return "; ".join(missing)

    def __str__(self) -> str:
        why = self.lacking(self.first - 1)
        reason = f" ({why})" if why else ""
        return f"1.{self.first} and later{reason}"


def needs(model: onnx.ModelProto, native: Collection[tuple[str, str]], tried: int) -> Needs:
    """Return what a model needs, except for the nodes that libraries compute: ``native``, by domain
    and op type. Functions count where nodes call them. ``tried`` is a release that runs the model.
    """
    from onnx import inliner, shape_inference

    version = str(model.ir_version)
    features: dict[str, tuple[int | None, list[str]]] = {
        f"IR version {version}": (_table()["ops"]["ir"].get(version), [])
    }
    try:
        model = inliner.inline_selected_functions(model, [*native], exclude=True)
        model = shape_inference.infer_shapes(model)
    except (RuntimeError, shape_inference.InferenceError):  # e.g. functions with another opset
        features["its dtypes"] = None, []
    called = {(function.domain, function.name) for function in model.functions} | {*native}
    functions = [f for f in model.functions if (f.domain, f.name) not in native]
    types = dict(_types(model.graph))
    for part in (model, *functions):
        versions = {entry.domain: entry.version for entry in part.opset_import}
        opset = versions.get("", versions.get("ai.onnx", 0))
        since = _table()["ops"]["opset"].get(str(opset))
        if opset:  # absent if all nodes are of other domains
            features[f"opset {opset}"] = since, []
        for node in nodes_of(model.graph.node if part is model else part.node):
            feature, first = f"{node.domain}::{node.op_type}", None
            if node.domain in ("", "ai.onnx"):
                dtypes = _dtypes(node, opset, types) if part is model else {}
                feature, first = _first(node.op_type, opset, dtypes)
            is_of_opset = first is not None and since is not None and first <= since
            if not is_of_opset and (node.domain, node.op_type) not in called:
                name = name_of(node) if node.name else f"that of {name_of(node)}"
                features.setdefault(feature, (first, []))[1].append(name)
    return Needs(features, tried)


def _first(op: str, opset: int, dtypes: dict[str, str]) -> tuple[str, int | None]:
    """Return an op's description, with the dtypes it depends on, and the first release that runs
    it.
    """
    plain = _since(op, opset)
    typed = {dtype: _since(op, opset, f" {name} {dtype}") for name, dtype in dtypes.items()}
    late = {dtype: since for dtype, since in typed.items() if plain and since and since > plain}
    of_dtypes = f" in {' and '.join(sorted(late))}" if late else ""
    return f"{op} of opset {opset}{of_dtypes}", max(late.values(), default=plain)


def _since(op: str, opset: int, of: str = "") -> int | None:
    versions: dict[str, int | None] = _table()["ops"].get(op, {})
    latest = max((int(v) for v in versions if v.isdigit() and int(v) <= opset), default="")
    return versions.get(f"{latest}{of}")


def _types(graph: Any) -> Iterator[tuple[str, int]]:
    """Yield the values of a graph and its subgraphs, with their element types."""
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name, value.type.tensor_type.elem_type
    for tensor in graph.initializer:
        yield tensor.name, tensor.data_type
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _types(inner)


def _dtypes(node: Any, opset: int, types: dict[str, int]) -> dict[str, str]:
    """Return the dtypes of a node's inputs, by the type variables of its op."""
    if (of := definition(node.op_type, opset)) is None:
        return {}
    variables = [
        (port.type_str, ELEMENT_TYPES.get(types.get(name, 0)))
        for port, name in zip(of.inputs, node.input, strict=False)
    ]
    return {name: dtype.lower() for name, dtype in variables if dtype}


@cache
def _table() -> Any:
    return json.loads(Path(__file__).with_name("runtime_ops.json").read_text(encoding="utf-8"))
