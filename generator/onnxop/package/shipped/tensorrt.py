"""A model → what TensorRT's ONNX parser refuses in it: the parser of TensorRT for RTX, in a process
of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module, util
from pathlib import Path

import onnx
from onnx import FunctionProto, ModelProto, NodeProto

from onnxop_runtime import processes
from onnxop_runtime.installer import pip_install
from onnxop_runtime.messages import some
from onnxop_runtime.model_nodes import name_of, nodes_of

from .errors import ShipError, printable
from .model import nodes_of_others

_MODULE = "tensorrt_rtx"
_LIMITS = processes.Limits(seconds=600.0)
_MISSING = re.compile(r"false|.*[Pp]lugin (?:not found|creator .* was not found).*", re.DOTALL)
"""What the parser says if it has neither an op nor a plugin of the op's name."""
_REASON = re.compile(r"Error \((.*?)(?:\. In |\)\n|\)$)", re.DOTALL)
_OLD_OPSET = 13  # exporters write an op that is older also for each opset that is in use


_STANDARD_NODES = 'export its operator as standard nodes, with domain=""'


@dataclass(frozen=True)
class ParserError:
    """An error of the parser: the index of the graph's node, or -1; the op type of the node itself
    or, in its function body or subgraphs, of the node there; the functions and subgraphs around
    that; the parser's text.
    """

    index: int
    op_type: str
    around: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class ParserAnswer:
    """What the parser says of a file. ``known`` are those of the op types asked about that it has
    an op for.
    """

    version: str
    errors: tuple[ParserError, ...]
    known: frozenset[str]


@dataclass(frozen=True)
class NodeRefusal:
    """A kind of node that the parser refuses, why, and what to do."""

    subject: str
    fact: str
    remedy: str


def check(path: Path, model: ModelProto) -> str:
    """Parse a model by TensorRT for RTX, which needs no GPU. Return the parser's name and version.

    Raises:
        ShipError: TensorRT for RTX is not installed; it refuses nodes, or takes them for others; or
            it crashes.
    """
    if util.find_spec(_MODULE) is None:
        raise ShipError(
            "--parser tensorrt needs the parser of TensorRT for RTX, which is not installed; run "
            f"{pip_install()} tensorrt-rtx"
        )
    op_types = {node.op_type for node in nodes_of_others(model) if onnx.defs.has(node.op_type)}
    try:
        answer: ParserAnswer = processes.run(partial(_parse, path, op_types), limits=_LIMITS)
    except processes.ProcessDied as death:
        raise ShipError(
            f"{path}: the parser of TensorRT for RTX crashes: {death}; leave out --parser, or "
            "export another model"
        ) from death
    except Exception as error:
        raise ShipError(f"{_MODULE} does not work here: {error}; leave out --parser") from error
    name = f"TensorRT for RTX {answer.version}"
    nodes_by_refusal: dict[NodeRefusal, list[str]] = {}
    refused = [_refused(model, error) for error in answer.errors]
    for node, refusal in (*_mistaken(model, answer.known), *refused):
        nodes_by_refusal.setdefault(refusal, []).append(node)
    if nodes_by_refusal:
        lines = [_line(refusal, nodes) for refusal, nodes in nodes_by_refusal.items()]
        raise ShipError("\n".join([f"{path}: the parser of {name} refuses it", *lines]))
    return name


def _parse(path: Path, op_types: set[str]) -> ParserAnswer:
    """Return what the parser says of a file. This runs native code: call it in another process."""
    tensorrt_rtx = import_module(_MODULE)
    logger = tensorrt_rtx.Logger(tensorrt_rtx.Logger.INTERNAL_ERROR)
    network = tensorrt_rtx.Builder(logger).create_network(0)
    parser = tensorrt_rtx.OnnxParser(network, logger)
    parser.supports_model_v2(path.read_bytes(), os.fspath(path))
    errors = [parser.get_error(index) for index in range(parser.num_errors)]
    return ParserAnswer(
        tensorrt_rtx.__version__,
        tuple(
            ParserError(e.node(), e.node_operator(), tuple(e.local_function_stack()), e.desc())
            for e in errors
        ),
        frozenset(op_type for op_type in op_types if parser.supports_operator(op_type)),
    )


def _line(refusal: NodeRefusal, nodes: list[str]) -> str:
    names = f", node{'s' if len(nodes) > 1 else ''} {some(nodes)}" if any(nodes) else ""
    return f"  {refusal.subject}{names}: {refusal.fact}; {refusal.remedy}"


def _mistaken(model: ModelProto, supported: frozenset[str]) -> Iterator[tuple[str, NodeRefusal]]:
    """Yield the nodes that the parser takes for others, since it does not read their domains."""
    domains: dict[str, set[str]] = {}
    for function in model.functions:
        domains.setdefault(function.name, set()).add(function.domain)
    for node in nodes_of_others(model):
        others = domains.get(node.op_type, set()) - {node.domain}
        if node.op_type in supported:
            fact = f"the parser does not read domains, and takes it for ONNX's {node.op_type}"
        elif others:
            fact = (
                f"the parser does not read domains, and {some(sorted(others))} has a function of "
                "this name"
            )
        else:
            continue
        subject = _title(node.domain, node.op_type)
        yield name_of(node), NodeRefusal(subject, fact, "give its operator another op_type")


def _refused(model: ModelProto, error: ParserError) -> tuple[str, NodeRefusal]:
    """Return the name of the graph's node that an error is about, "" for none, and the error in our
    words.
    """
    if not 0 <= error.index < len(model.graph.node):
        return "", _refused_graph(model, error)
    outer = model.graph.node[error.index]
    function = _function_of(model, error)
    node = _node_in(outer if function is None else function, error.op_type)
    imports = model.opset_import if function is None else function.opset_import
    versions = {entry.domain: entry.version for entry in imports}
    subject = f"{_title(node.domain, node.op_type)} (opset {versions.get(node.domain, 1)})"
    if function is not None:
        subject += f" in the function body of {_title(function.domain, function.name)}"
    if _leaves_out_arguments(node, model):
        fact = (
            "it leaves out an input or a result of its function, which the parser does not support"
        )
        refusal = NodeRefusal(subject, fact, _STANDARD_NODES)
    elif node.domain and _MISSING.fullmatch(error.text):
        refusal = NodeRefusal(subject, *_plugin(node))
    else:
        refusal = NodeRefusal(subject, _reason(error), _remedy(node.op_type, function))
    return name_of(outer), refusal


def _refused_graph(model: ModelProto, error: ParserError) -> NodeRefusal:
    """Return an error about the graph: a dtype of an input that TensorRT lacks, or another."""
    if "convertDtype" not in error.text:
        return NodeRefusal("the graph", _reason(error), "export another model")
    dtypes = [
        (
            f"{printable(value.name)} of "
            f"{onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type).lower()}"
        )
        for value in model.graph.input
    ]
    fact = f"TensorRT lacks the dtype of one of them, {some(dtypes)}"
    return NodeRefusal("the inputs", fact, "cast it in front of the model, and export that")


def _function_of(model: ModelProto, error: ParserError) -> FunctionProto | None:
    """Return the innermost function around the node of an error; None in the graph."""
    functions: dict[str, FunctionProto] = {f.name: f for f in model.functions}
    for text in reversed(error.around):  # such as "node_of_y (f)"
        name = text.rpartition("(")[2].removesuffix(")")
        if name in functions:
            return functions[name]
    return None


def _node_in(part: NodeProto | FunctionProto, op_type: str) -> NodeProto:
    """Return a node of an op type: the node itself or one of its subgraphs, or one of a
    function.
    """
    nodes = [part] if isinstance(part, NodeProto) else part.node
    return next((n for n in nodes_of(nodes) if n.op_type == op_type), nodes[0])


def _leaves_out_arguments(node: NodeProto, model: ModelProto) -> bool:
    """Return whether a node has a function body, and does not use all inputs and outputs of it."""
    for function in model.functions:
        if (function.domain, function.name) == (node.domain, node.op_type):
            is_whole = (len(node.input), len(node.output)) == (
                len(function.input),
                len(function.output),
            )
            return not is_whole or "" in (*node.input, *node.output)
    return False


def _title(domain: str, name: str) -> str:
    return printable(f"{domain}::{name}" if domain else name)


def _plugin(node: NodeProto) -> tuple[str, str]:
    """Return which plugin the parser asks for, and the remedies."""
    attributes = {a.name: a.s.decode(errors="replace") for a in node.attribute}
    version = attributes.get("plugin_version") or "1"
    namespace = attributes.get("plugin_namespace", "")
    namespaces = " or ".join(f'"{printable(n)}"' for n in dict.fromkeys([namespace, node.domain]))
    fact = (
        f"it has no function body, and the parser has no plugin {printable(node.op_type)}, version "
        f"{printable(version)}, of the namespace {namespaces}"
    )
    return fact, "give its spec a mapping, or build the engine where that plugin is registered"


def _reason(error: ParserError) -> str:
    """Return the parser's reason, without the places in its source."""
    if _MISSING.fullmatch(error.text):
        return f"the parser has no {printable(error.op_type)}"
    reason = _REASON.search(error.text)
    if reason is None:
        text = error.text.removeprefix("Assertion failed: ")
    else:
        text = reason[1].partition(": ")[2] or reason[1]
    return printable(" ".join(text.split()).rstrip("."))


def _remedy(op_type: str, function: FunctionProto | None) -> str:
    if function is not None:
        return "write this mapping with other ops"
    remedy = "write a rule with other ops for the operator that becomes it"
    schemas = onnx.defs.get_all_schemas_with_history()
    first = min(
        (s.since_version for s in schemas if (s.domain, s.name) == ("", op_type)), default=1
    )
    return f"{remedy}, or export below opset {first}" if first > _OLD_OPSET else remedy
