"""Which release of ONNX Runtime runs a mapping's nodes, or a model's, on the CPU: as tests/runtime_ops.py found it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from onnxop_runtime.mapping.definitions import definition, element_types
from onnxop_runtime.mapping.opsets import Opsets, ops_of
from onnxop_runtime.model_nodes import nodes_of

from ..errors import some

OLDEST = 17
"""The first minor release that was tried, which is the first that libraries serve."""


def without_kernel(to_onnx: Any, opsets: Opsets) -> list[str]:
    """Say for which of a mapping's opsets no release of ONNX Runtime has kernels."""
    found = []
    for ops, group in groupby(sorted(opsets.holds), lambda opset: _lacking(to_onnx, opset)):
        first, *_, last = [*group] * 2
        at = f"opset {first}" if first == last else f"opsets {first} to {last}"
        if ops:
            found.append(
                f"at {at} ONNX Runtime has no kernel of {' and '.join(ops)}, in no release up to "
                f"1.{_table()['newest']}; tests skip what onnx.reference does not run there either"
            )
    return found


def _lacking(to_onnx: Any, opset: int) -> list[str]:
    """Return the ops that a mapping's text names at an opset of which no release has a kernel."""
    return [op for op in ops_of(to_onnx, opset) if _since(op, opset) is None]


@dataclass(frozen=True)
class Needs:
    """What a model needs of ONNX Runtime to run on the CPU.

    Attributes:
        found: in words, what it needs: the first minor release that has it, or None where nobody knows, and
            the nodes.
        tried: a minor release that runs the model.
    """

    found: Mapping[str, tuple[int | None, list[str]]]
    tried: int

    @property
    def first(self) -> int:
        """The first minor release that is known to run it."""
        known = [self.tried if since is None else since for since, _ in self.found.values()]
        return min(self.tried, max(known))

    def lacking(self, release: int) -> str:
        """Say what a release lacks of it."""
        words = []
        for what, (since, nodes) in self.found.items():
            if since is None or since > max(release, OLDEST):
                known = f"in 1.{self.tried}, of earlier ones nobody knows"
                known = known if since is None else f"since 1.{since}"
                words.append(f"{what}{f' ({some(nodes)})' * bool(nodes)}, {known}")
        return "; ".join(words)

    def __str__(self) -> str:
        why = self.lacking(self.first - 1)
        return f"1.{self.first} and later{f' ({why})' * bool(why)}"


def needs(model: Any, native: Collection[tuple[str, str]], tried: int) -> Needs:
    """Return what a model needs, but for the nodes that are computed natively, by domain and op type. Functions
    count where nodes call them. ``tried`` is a release that runs it.
    """
    from onnx import inliner, shape_inference

    version = str(model.ir_version)
    found: dict[str, tuple[int | None, list[str]]] = {
        f"IR version {version}": (_table()["ops"]["ir"].get(version), [])
    }
    try:
        model = inliner.inline_selected_functions(model, [*native], exclude=True)
        model = shape_inference.infer_shapes(model)
    except (RuntimeError, shape_inference.InferenceError):  # of functions of another opset, say
        found["its dtypes"] = None, []
    called = {(function.domain, function.name) for function in model.functions} | {*native}
    functions = [f for f in model.functions if (f.domain, f.name) not in native]
    types = dict(_types(model.graph))
    for part in (model, *functions):
        versions = {entry.domain: entry.version for entry in part.opset_import}
        opset = versions.get("", versions.get("ai.onnx", 0))
        since = _table()["ops"]["opset"].get(str(opset))
        if opset:  # which nodes of other domains alone need not have
            found[f"opset {opset}"] = since, []
        for node in nodes_of(model.graph.node if part is model else part.node):
            what, first = f"{node.domain}::{node.op_type}", None
            if node.domain in ("", "ai.onnx"):
                dtypes = _dtypes(node, opset, types) if part is model else {}
                what, first = _first(node.op_type, opset, dtypes)
            is_of_opset = first is not None and since is not None and first <= since
            if not is_of_opset and (node.domain, node.op_type) not in called:
                found.setdefault(what, (first, []))[1].append(
                    node.name or f"that of {node.output[0]}"
                )
    return Needs(found, tried)


def _first(op: str, opset: int, dtypes: dict[str, str]) -> tuple[str, int | None]:
    """Return an op with inputs of these dtypes, by type variable, in words, and the first release that runs it."""
    plain = _since(op, opset)
    typed = {dtype: _since(op, opset, f" {name} {dtype}") for name, dtype in dtypes.items()}
    late = {dtype: since for dtype, since in typed.items() if plain and since and since > plain}
    of_dtypes = f" in {' and '.join(sorted(late))}" if late else ""
    return f"{op} of opset {opset}{of_dtypes}", max(late.values(), default=plain)


def _since(op: str, opset: int, of: str = "") -> int | None:
    versions: dict[str, int | None] = _table()["ops"].get(op, {})
    known = max((int(v) for v in versions if v.isdigit() and int(v) <= opset), default="")
    return versions.get(f"{known}{of}")


def _types(graph: Any) -> Iterator[tuple[str, int]]:
    """Yield the values of a graph and those within it, with their element types."""
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
    given = [
        (port.type_str, element_types().get(types.get(name, 0)))
        for port, name in zip(of.inputs, node.input, strict=False)
    ]
    return {name: dtype.lower() for name, dtype in given if dtype}


@cache
def _table() -> Any:
    return json.loads(Path(__file__).with_name("runtime_ops.json").read_text(encoding="utf-8"))
