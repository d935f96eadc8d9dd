"""[onnx] → the mapping as it is written; also checks the operator as one node."""

from __future__ import annotations

import re

from onnxop_runtime.specs import names
from onnxop_runtime.specs.document import OnnxTable

from ..errors import Problems, shown
from ..schema.signature import OpSchema
from .model import LEFT_OUT, Mapping
from .tables import Tables


def read(tables: Tables) -> Mapping | None:
    """Return the mapping, or add its problems and return None."""
    table, problems = tables.document.onnx, tables.problems
    if table.mapping is None:
        return _no_mapping(table, problems)
    if table.opset is not None:
        return Mapping(text=table.mapping, opset=table.opset, dynamo=table.dynamo)
    if not problems.concern("onnx", "opset"):
        problems.add(("onnx", "opset"), "missing; add opset = 13", on_key=True)
    return None


def _no_mapping(table: OnnxTable, problems: Problems) -> Mapping | None:
    """Return a decomposition, or an empty mapping for a plugin's node, which needs a domain."""
    if problems.concern("onnx"):
        return None
    if not table.dynamo:
        fact = "only a mapping can be limited to the TorchScript exporter"
        remedy = "add one, or remove this line"
        problems.add(("onnx", "dynamo"), f"{fact}; {remedy}", on_key=True)
    if decomposed := table.decomposed:
        needs = () if isinstance(decomposed, bool) else tuple(decomposed)
        return Mapping(is_decomposed=True, needs=needs)
    if table.domain:
        return Mapping()
    problems.add(
        ("onnx", "mapping"),
        'missing; add mapping = "op.Add(op.Mul(a, 2.0), b)", or domain = "my_lib" for one node '
        "of a domain of your own",
        on_key=True,
    )
    return None


def check_node(tables: Tables, schema: OpSchema | None) -> None:
    """Add a problem for a wrong domain or op type, and for keys that exclude ``decomposed``."""
    table, problems = tables.document.onnx, tables.problems
    domain, op_type = table.domain, table.op_type
    if domain and (why := names.problem_with_domain(domain)):
        remedy = "write another, such as my_lib, or remove the line for standard nodes"
        problems.add(("onnx", "domain"), f"the domain {shown(domain)} {why}; {remedy}")
    if op_type is not None and (why := names.problem_with(op_type)):
        problems.add(("onnx", "op_type"), f"the op type {shown(op_type)} {why}; choose another")
    name = op_type or (schema.called if schema else "")
    if re.search(r"_variant_\d+$|_function(_\d+)?$", name):
        path = ("onnx", "op_type") if op_type else ("op", "schema")
        fact = f"{name} could be the name of another operator's function body; choose another"
        problems.add(path, fact)
    if not table.decomposed:
        return
    kernel = tables.document.kernel
    is_own = schema is not None and not schema.exists
    if schema is not None and is_own and (kernel is None or not kernel.python):
        fact = f"PyTorch has no operator {schema.title} to decompose; write a mapping, or [kernel] python"
        problems.add(("onnx", "decomposed"), fact, on_key=True)
    others = {
        ("onnx", "mapping"): table.mapping,
        ("onnx", "domain"): table.domain,
        ("onnx", "opset"): table.opset,
        ("kernel",): kernel if not is_own or (kernel and kernel.source) else None,
    }
    for key, value in others.items():
        if value:
            fact = "decomposed already defines the operator in ONNX; remove one of the two"
            problems.add(key, fact, on_key=True)


def check_can_be_node(tables: Tables, schema: OpSchema, lowered: Mapping) -> None:
    """Add a problem if the mapping's results or list inputs cannot be those of one node."""
    lists = [tensor.is_list for tensor in schema.tensors[:-1]]
    why = ""
    if schema.returns_list:
        why = "a node has a fixed number of outputs, but the operator returns a list"
    elif any(lists):
        why = "a list of tensors can only be the last input of a node"
    elif LEFT_OUT in lowered.kinds:
        why = "the mapping leaves out results, but a node must have all of them"
    if why and tables.document.onnx.domain:
        remedy = "remove the domain, for standard nodes"
        tables.problems.add(("onnx", "domain"), f"{why}; {remedy}", on_key=True)
