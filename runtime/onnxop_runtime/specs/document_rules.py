"""Rules of a document's values: names, domains, and keys that need or exclude each other."""

from __future__ import annotations

import re

from ..messages import did_you_mean, join_words, shown
from . import names
from .document import Document, KernelTable
from .op_schema import OpSchema
from .problems import Problems
from .schema_arguments import problem_with_names

KERNELS = ("elementwise", "source", "python")
"""The keys that give a kernel."""


_MAX_NOTE = 500  # characters of an argument's description


def check_arguments(document: Document, problems: Problems, operator: OpSchema) -> None:
    """Add a problem for descriptions of arguments that the operator lacks, and of several lines."""
    argument_names = [argument.name for argument in operator.caller_arguments]
    for name, note in (document.op.arguments or {}).items():
        path = ("op", "arguments", name)
        if name not in argument_names:
            hint = did_you_mean(name, argument_names) or f"; it has {join_words(argument_names)}"
            problems.add(path, f"the schema has no argument {name}{hint}", on_key=True)
        elif not note.isprintable():
            problems.add(path, "has control characters; write one line")
        elif len(note) > _MAX_NOTE:
            problems.add(path, f"has more than {_MAX_NOTE} characters; write less")


def check_onnx(document: Document, problems: Problems) -> None:
    """Add a problem for keys of ``[onnx]`` that are missing, or that have no meaning without
    another.
    """
    table = document.onnx
    if table.mapping is not None:
        if table.opset is None and not problems.concern("onnx", "opset"):
            problems.add(("onnx", "opset"), "missing; add opset = 13", on_key=True)
        return
    if problems.concern("onnx"):
        return
    if not table.dynamo:
        fact = "only a mapping can be limited to the TorchScript exporter"
        remedy = "add one, or remove this line"
        problems.add(("onnx", "dynamo"), f"{fact}; {remedy}", on_key=True)
    if not (table.decomposed or table.domain):
        problems.add(
            ("onnx", "mapping"),
            'missing; add mapping = "op.Add(op.Mul(a, 2.0), b)", or domain = "my_lib" for one node '
            "of a domain of your own",
            on_key=True,
        )


def check_node(document: Document, problems: Problems, operator: OpSchema | None) -> None:
    """Add a problem for a wrong domain or op type, and for keys that exclude ``decomposed``."""
    domain, op_type = document.onnx.domain, document.onnx.op_type
    if domain and (why := names.problem_with_domain(domain)):
        remedy = "write another, such as my_lib, or remove the line for standard nodes"
        problems.add(("onnx", "domain"), f"the domain {shown(domain)} {why}; {remedy}")
    if op_type is not None and (why := names.problem_with(op_type)):
        problems.add(("onnx", "op_type"), f"the op type {shown(op_type)} {why}; choose another")
    name = op_type or (operator.public_name if operator else "")
    if re.search(r"_variant_\d+$|_function(_\d+)?$", name):
        path = ("onnx", "op_type") if op_type else ("op", "schema")
        fact = f"{name} could be the name of another operator's function body; choose another"
        problems.add(path, fact)
    if document.onnx.decomposed:
        _check_decomposed(document, problems, operator)


def _check_decomposed(document: Document, problems: Problems, operator: OpSchema | None) -> None:
    """Add a problem for each key that ``decomposed`` excludes, and for an operator that nothing
    decomposes.
    """
    table, kernel = document.onnx, document.kernel
    is_new = operator is not None and not operator.exists
    has_python = kernel is not None and bool(kernel.python)
    if operator is not None and is_new and not has_python:
        fact = (
            f"PyTorch has no operator {operator.title} to decompose; write a mapping, or [kernel] "
            "python"
        )
        problems.add(("onnx", "decomposed"), fact, on_key=True)
    excluded: list[tuple[str, ...]] = []
    for name in ("mapping", "domain", "opset"):
        if getattr(table, name):
            excluded.append(("onnx", name))
    # The package's own operator is decomposed into what its python kernel calls.
    if kernel is not None and (kernel.source or not is_new):
        excluded.append(("kernel",))
    for key in excluded:
        fact = "decomposed already defines the operator in ONNX; remove one of the two"
        problems.add(key, fact, on_key=True)


def kernels_of(table: KernelTable) -> list[str]:
    """Return the keys of ``[kernel]`` that give a kernel."""
    return [key for key in KERNELS if getattr(table, key) is not None]


def check_kernel(document: Document, problems: Problems) -> None:
    """Add a problem for a ``[kernel]`` with no kernel or several, and for keys of another kind."""
    table = document.kernel
    if table is None:
        return
    kinds = kernels_of(table)
    if not kinds and not problems.concern("kernel"):
        remedy = 'write elementwise = "2 * a + b", source = "kernel.h" or python = "2 * a + b"'
        problems.add(("kernel",), f"has no kernel; {remedy}", on_key=True)
    others = [] if kinds == ["source", "python"] else kinds[1:]
    facts = {kind: f"{kinds[0]} already gives a kernel; remove one" for kind in others}
    for key, kind in (("backward", "source"), ("fake", "python"), ("on_host", "source")):
        if getattr(table, key) and kinds and kind != kinds[0]:
            facts[key] = f"{key} belongs to a {kind} kernel; remove it"
    if table.cuda is not None and kinds and kinds[0] == "python":
        facts["cuda"] = "PyTorch's operators compute a python kernel on each device; remove cuda"
    if isinstance(table.cuda, str) and kinds and kinds[0] == "elementwise":
        facts["cuda"] = "an elementwise kernel is one for CUDA, too, without a file; remove cuda"
    if table.on_host and kinds and kinds[0] == "source" and not table.cuda:
        facts["on_host"] = "on_host belongs to a kernel for CUDA; add cuda, or remove it"
    for key, fact in facts.items():
        problems.add(("kernel", key), fact, on_key=True)


def check_kernel_is_there(document: Document, problems: Problems, schema: OpSchema) -> None:
    """Add a problem for a missing kernel, and for gradients without a kernel."""
    has_table = document.kernel is not None or problems.concern("kernel")
    if has_table and schema.exists:
        _check_names_in_kernel(problems, schema)
    if has_table:
        return
    if schema.exists:
        _check_rule_alone(document, problems, schema)
        return
    fact = f"missing; PyTorch has no operator {schema.title}, so add elementwise = "
    remedy = '"2 * a + b", source = "kernel.h" or python = "2 * a + b" under [kernel]'
    problems.add(("kernel",), fact + remedy, on_key=True)


def _check_names_in_kernel(problems: Problems, schema: OpSchema) -> None:
    """Add a problem if a kernel cannot have the names of an existing operator's arguments."""
    clash = problem_with_names(schema.arguments)
    if clash:
        problems.add(("kernel",), f"{clash[1]}; remove the table", on_key=True)


def _check_rule_alone(document: Document, problems: Problems, schema: OpSchema) -> None:
    """Add problems for what an existing operator cannot have without a kernel: gradients, and
    arguments that an exporter does not trace.
    """
    if document.autograd:
        fact = "PyTorch has gradients of its own operators; remove the table, or add a [kernel]"
        problems.add(("autograd",), fact, on_key=True)
    for argument in schema.caller_arguments:
        if argument.is_list and argument.base_type == "bool":
            fact = f"argument {argument.name} is of type {argument.type}, which the TorchScript "
            remedy = "exporter does not trace; write an operator of your own that takes int[]"
            problems.add(("op", "schema"), fact + remedy)
