"""The ``[onnx]`` table: the mapping as it is written, and the operator as one node."""

from __future__ import annotations

import re

from ..errors import shown
from ..schema.signature import OpSchema
from ..words import names
from .model import LEFT_OUT, Mapping
from .tables import Tables


def read(tables: Tables) -> Mapping | None:
    """The mapping, or None once what is missing is noted."""
    text, opset = tables.text("onnx", "mapping"), tables.get("onnx", "opset")
    if text is None:
        return _no_mapping(tables)
    if opset is None:
        tables.problems.add(("onnx", "opset"), "missing; add opset = 13", on_key=True)
    if not isinstance(opset, int) or isinstance(opset, bool):
        return None  # noted with the tables
    return Mapping(text=text, opset=opset, dynamo=tables.get("onnx", "dynamo") is not False)


def _no_mapping(tables: Tables) -> Mapping | None:
    """A node alone, for an engine's own plugin: it needs a domain, and no opset. Or what the
    dynamo exporter has of it.
    """
    table = tables.get("onnx")
    if not isinstance(table, dict) or "mapping" in table:
        return None  # noted with the tables
    if table.get("dynamo") is False:
        tables.problems.add(
            ("onnx", "dynamo"),
            "only a mapping can be for the TorchScript exporter alone; add one, or remove this line",
            on_key=True,
        )
    if decomposed := table.get("decomposed"):
        return Mapping(
            is_decomposed=True,
            needs=tuple(decomposed) if isinstance(decomposed, list) else (),
        )
    if tables.text("onnx", "domain"):
        return Mapping()
    tables.problems.add(
        ("onnx", "mapping"),
        'missing; add mapping = "op.Add(op.Mul(a, 2.0), b)", or domain = "my_lib" for one node '
        "of a domain of your own",
        on_key=True,
    )
    return None


def check_node(tables: Tables, schema: OpSchema | None) -> None:
    """Notes what cannot be a node: its domain, its op type."""
    _check_name(tables, schema)
    _check_decomposed(tables, schema)


def _check_name(tables: Tables, schema: OpSchema | None) -> None:
    """The domain and the op type of the operator as one node."""
    domain, op_type = tables.text("onnx", "domain"), tables.text("onnx", "op_type")
    if domain and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}", domain):
        tables.problems.add(
            ("onnx", "domain"),
            f"{shown(domain)} is no domain; write letters, digits, _ and ., as in my_lib",
        )
    elif domain and re.fullmatch(r"(ai\.onnx|com\.microsoft)(\..*)?|aten|prim|onnx", domain):
        tables.problems.add(
            ("onnx", "domain"),
            f"the domain {domain} is not yours; choose another, such as my_lib, or remove the "
            "line for standard nodes",
        )
    if op_type is not None and (why := names.problem_with(op_type)):
        tables.problems.add(
            ("onnx", "op_type"), f"the op type {shown(op_type)} {why}; choose another"
        )
    version = tables.get("onnx", "version")
    if isinstance(version, int) and not 1 <= version <= 1000:
        tables.problems.add(
            ("onnx", "version"), f"{shown(version, 30)} is no version; write 1 to 1000"
        )
    name = op_type or (schema.called if schema else "")
    if re.search(r"_variant_\d+$|_function(_\d+)?$", name):
        tables.problems.add(
            ("onnx", "op_type") if op_type else ("op", "schema"),
            f"{name} could be the name of another operator's function body, which variants of "
            "one are called; choose another",
        )


def _check_decomposed(tables: Tables, schema: OpSchema | None) -> None:
    """What PyTorch's dynamo exporter writes is that of an operator of PyTorch's own, alone."""
    if not tables.get("onnx", "decomposed"):
        return
    if schema is not None and not schema.exists:
        tables.problems.add(
            ("onnx", "decomposed"),
            f"PyTorch has no operator {schema.namespace}::{schema.name} to take apart; write a "
            "mapping",
            on_key=True,
        )
    for path in (("onnx", "mapping"), ("onnx", "domain"), ("onnx", "opset"), ("kernel",)):
        if tables.get(*path):
            tables.problems.add(
                path,
                "decomposed = true says all of the operator in ONNX already; remove one of the two",
                on_key=True,
            )


def check_can_be_node(tables: Tables, schema: OpSchema, lowered: Mapping) -> None:
    """Notes what a node of a domain cannot hold."""
    lists = [tensor.is_list for tensor in schema.tensors[:-1]]
    why = ""
    if schema.returns_list:
        why = "a node has a number of results that is known, but the operator returns a list"
    elif any(lists):
        why = "a list of tensors can only be the last of a node's inputs"
    elif LEFT_OUT in lowered.kinds:
        why = "the mapping leaves out results, but a node has all of them"
    if why and tables.text("onnx", "domain"):
        remedy = "remove the domain, for standard nodes"
        tables.problems.add(("onnx", "domain"), f"{why}; {remedy}", on_key=True)
