"""The ``[onnx]`` table: the mapping at the opsets where it holds, and the operator as one node."""

from __future__ import annotations

import re
from contextlib import suppress

from ..errors import Path, shown
from ..mapping import lowering, onnxdefs, opsets
from ..mapping.graph import Omitted
from ..schema.signature import OpSchema
from ..words import names
from ..words.pyexpr import ExpressionProblems
from . import trial
from .model import Mapping
from .tables import Tables
from .tensors import SampleValue


def read(tables: Tables, schema: OpSchema | None) -> Mapping | None:
    """The mapping, or None once what is wrong with it is noted."""
    text, opset = tables.text("onnx", "mapping"), _opset(tables)
    if text is None:
        return _no_mapping(tables)
    path: Path = ("onnx", "mapping")
    try:
        graph = lowering.lower(text, schema, opset or opsets.HIGHEST)
    except ExpressionProblems as error:
        for problem in error.problems:
            tables.note(path, problem)
        return None
    if opset is None or schema is None or tables.problems:
        return None
    for problem in lowering.problems_of_choices(text, schema, opset) if graph.choices else ():
        tables.note(path, problem)
    if tables.problems:
        return None
    bodies = lowering.bodies(text, schema, opset)
    dynamo_opset = max(opset, opsets.DYNAMO.start)
    dynamo = range(0)
    with suppress(ExpressionProblems):
        lowering.lower(text, schema, dynamo_opset)
        last = lowering.last_opset(text, schema, dynamo_opset, converts=True)
        keeps = graph.choices or lowering.keeps_meaning(graph, opset, dynamo_opset)
        if keeps and tables.get("onnx", "dynamo") is not False:
            dynamo = opsets.since(opsets.DYNAMO, dynamo_opset, last)
    is_one = all(form.choices == graph.choices for _, form in bodies)
    last = lowering.last_opset(text, schema, opset) if is_one else lowering.last_in(bodies)
    last = opset - 1 if lowering.torchscript_lacks(graph) else last
    return Mapping(
        torchscript=opsets.since(opsets.TORCHSCRIPT, opset, last),
        dynamo=dynamo,
        dynamo_opset=dynamo_opset if dynamo else opset,
        bodies=bodies,
    )


def _opset(tables: Tables) -> int | None:
    """The opset, or None once it is noted that the exporters do not write it."""
    opset = tables.get("onnx", "opset")
    if opset is None and tables.text("onnx", "mapping") is not None:
        tables.problems.add(
            ("onnx", "opset"),
            "missing; add opset = 13",
            on_key=True,
        )
    if not isinstance(opset, int) or isinstance(opset, bool):
        return None  # noted with the tables
    if opsets.LOWEST <= opset <= opsets.HIGHEST:
        return opset
    nearest = min(max(opset, opsets.LOWEST), opsets.HIGHEST)
    tables.problems.add(
        ("onnx", "opset"),
        f"the exporters write opsets {opsets.LOWEST} to {opsets.HIGHEST}, not "
        f"{shown(opset, 20)}; write opset = {nearest}",
    )
    return None


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
            torchscript=opsets.since(opsets.TORCHSCRIPT, opsets.DYNAMO.start, opsets.HIGHEST),
            dynamo=opsets.DYNAMO,
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


def held_against_samples(
    tables: Tables,
    schema: OpSchema,
    lowered: Mapping,
    samples: tuple[dict[str, SampleValue], ...],
) -> Mapping:
    """The mapping at the opsets at which ONNX takes it for the samples, once all else is sound;
    what it refuses at the spec's own is noted.
    """
    text, opset = tables.text("onnx", "mapping"), _opset(tables)
    if not lowered.is_given or text is None or opset is None:
        return lowered
    are_given = bool(tables.get("samples"))
    for problem in trial.problems(text, schema, opset, samples, are_given=are_given):
        tables.note(("onnx", "mapping"), problem)
    if tables.problems:
        return lowered
    return lowered.without(trial.refused_later(lowered.bodies, schema, samples))


def check_node(tables: Tables, schema: OpSchema | None, lowered: Mapping | None) -> None:
    """Notes what cannot be a node: its domain, its op type, what it holds."""
    _check_name(tables, schema)
    _check_decomposed(tables, schema)
    if lowered is not None and schema is not None:
        _check_can_be_node(tables, schema, lowered)


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
    if onnxdefs.is_op(name):
        tables.problems.add(
            ("onnx", "op_type") if op_type else ("op", "schema"),
            f"{name} is an op of ONNX, for which runtimes take a node of that type in any "
            f'domain; write op_type = "{name}Op" under [onnx], say',
            offset=None if op_type else (tables.text("op", "schema") or "").find("::") + 2,
            length=len(name),
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


def _check_can_be_node(tables: Tables, schema: OpSchema, lowered: Mapping) -> None:
    """Notes what a node of a domain cannot hold."""
    graph = lowered.graph if lowered.is_given else None
    lists = [tensor.is_list for tensor in schema.tensors[:-1]]
    why = ""
    if schema.returns_list:
        why = "a node has a number of results that is known, but the operator returns a list"
    elif any(lists):
        why = "a list of tensors can only be the last of a node's inputs"
    elif graph and any(isinstance(result, Omitted) for result in graph.results):
        why = "the mapping leaves out results, but a node has all of them"
    if why and tables.text("onnx", "domain"):
        remedy = "remove the domain, for standard nodes"
        tables.problems.add(("onnx", "domain"), f"{why}; {remedy}", on_key=True)
