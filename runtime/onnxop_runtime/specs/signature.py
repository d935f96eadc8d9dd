"""The text of a schema → `OpSchema`: names are checked, and an existing operator is looked up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..messages import join_words, shown
from . import names
from .arguments import UNKNOWN_TYPE, Argument, is_supported
from .op_schema import OpSchema
from .operator_lookup import Lookup, OperatorSchemas
from .parser import PATH, outlined, read_head, read_signature
from .problems import Problems
from .schema_arguments import read_arguments, written_arguments
from .schema_results import problem_with_results, result_names, results_of_writes

MAX_LENGTH = 10_000
FOREIGN = frozenset({"prim", "prims", "onnx", "quantized", "c10d", "inductor", "higher_order"})
"""PyTorch's own namespaces; nobody else may define an operator there."""


def parse(
    text: str,
    problems: Problems,
    lookup: Lookup,
    requires: Sequence[str] = (),
    given_name: str = "",
) -> OpSchema | None:
    """Return the schema in the text, or add its problems and return None.

    ``requires`` are modules that register operators when they are imported; ``given_name`` is the
    package's name for an operator that exists.
    """
    if len(text) > MAX_LENGTH:
        problems.add(PATH, f"has more than {MAX_LENGTH} characters; write a shorter schema")
        return None
    problems_before = len(problems)
    head = read_head(text)
    _check_head(head, problems, given_name)
    if head["ns"] is None:
        return None
    _check_modules(requires, problems)
    if lookup.concerns(head["ns"], head["name"], requires):
        if len(problems) > problems_before:
            return None
        answer = lookup.find(head["ns"], head["name"], text, tuple(requires), problems)
        if answer is None:
            return None
        if answer.schemas or not answer.may_be_new or not text[head.end() :].strip():
            resolved = _resolve(text, answer, problems)
            schema = _parse_existing(text, resolved, problems) if resolved else None
            return schema and replace(schema, given_name=given_name)
    schema = _read(text, problems)
    if given_name and schema is not None:
        problems.add(
            ("op", "name"),
            "a new operator has the name in its schema; remove the line, and write "
            f"{schema.namespace}::{given_name} there",
            on_key=True,
        )
    return schema if len(problems) == problems_before else None


def outline(text: str) -> OpSchema | None:
    """Return the arguments of a schema that has problems, so that the rest of the spec can be
    checked against them. None if it does not list them.
    """
    parts = outlined(text) if len(text) <= MAX_LENGTH else None
    if not parts:
        return None
    arguments = [
        Argument(
            part.name,
            part.type if is_supported(part.type) else UNKNOWN_TYPE,
            part.default is not None,
            keyword_only=part.keyword_only,
        )
        for part in parts
    ]
    results = ("result",) if text.partition("->")[2].strip() in ("", "Tensor") else ()
    return OpSchema("", "", "", tuple(arguments), results=results)


def _check_head(head: re.Match[str], problems: Problems, public_name: str) -> None:
    """Add a problem for each invalid name; ``public_name`` is the package's name for the
    operator.
    """
    namespace, name = head["ns"], head["name"]

    def add(group: str, message: str) -> None:
        problems.add(PATH, message, offset=head.start(group), length=max(len(head[group]), 1))

    if namespace is None:
        fact = "the schema has no namespace; write my_lib::my_add(Tensor a) -> Tensor, with a name "
        add("name", f"{fact}of your own for my_lib")
        return
    # Python's operators have such names in PyTorch: `a | b` calls aten::__or__.
    is_pythons = public_name and namespace == "aten" and re.fullmatch("__[a-z]+__", name)
    for group, kind in (("ns", "namespace"), ("name", "operator name"), ("overload", "overload")):
        is_offered = group == "name" and not public_name
        check = names.problem_with_operator if is_offered else names.problem_with
        if head[group] is None or (group == "name" and is_pythons):
            continue
        if why := check(head[group]):
            add(group, f"the {kind} {head[group]!r} {why}; choose another")
        elif group == "name" and name.endswith("_"):
            fact = f"the operator name {name!r} ends with an underscore, PyTorch's mark of an "
            add(group, f"{fact}in-place operator, which ONNX cannot express; drop it")
    if namespace in FOREIGN:
        add("ns", f"the namespace {namespace} is PyTorch's own; choose one of yours")


def _check_modules(requires: Sequence[str], problems: Problems) -> None:
    """Add a problem for each of ``requires`` that is not the name of a module."""
    for index, module in enumerate(requires):
        if not all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", part) for part in module.split(".")):
            remedy = "write one to import, such as torchvision"
            fact = f"{shown(module)} is not the name of a module; {remedy}"
            problems.add(("op", "requires", index), fact)


def _read(text: str, problems: Problems, *, exists: bool = False) -> OpSchema | None:
    """Return the operator of a schema; None after adding its problems."""
    signature = read_signature(text, problems)
    if signature is None:
        return None
    problems_before = len(problems)
    arguments = read_arguments(signature, problems, exists=exists)
    writes = () if exists else written_arguments(signature)
    aliases = [part.alias for part in signature.arguments if "!" in part.alias and not exists]
    if fact := problem_with_results(signature, arguments, exists=exists, writes=aliases):
        problems.add(PATH, fact, **signature.place_of_returns)
    if len(problems) == problems_before and not any(argument.is_tensor for argument in arguments):
        fact = "the operator has no Tensor argument, which a rule needs; add one, such as Tensor a"
        problems.add(PATH, fact, **signature.place_of_arguments)
    if len(problems) > problems_before:
        return None
    head, results = read_head(text), [*signature.results, *results_of_writes(signature, writes)]
    declared = [f"{part.type} {part.name}".strip() for part in results]
    returns = f"({', '.join(declared)})" if len(results) > 1 else results[0].type
    schema = OpSchema(
        head["ns"] or "",
        head["name"],
        head["overload"] or "",
        tuple(arguments),
        exists,
        returns,
        result_names(results, arguments),
    )
    return _functional(schema, text, writes) if writes else schema


def _functional(schema: OpSchema, text: str, writes: tuple[str, ...]) -> OpSchema:
    """Return the functional form of an operator that writes to arguments."""
    name = f"{schema.name}_functional"
    in_place = schema.name + " ".join(text[read_head(text).end() :].split())
    return replace(schema, name=name, writes=writes, in_place=in_place)


def _parse_existing(text: str, resolved: str, problems: Problems) -> OpSchema | None:
    """Return an existing operator by its full schema. Problems are reported at the name in the
    spec.
    """
    problems_found = Problems()
    schema = _read(resolved, problems_found, exists=True)
    head = read_head(text)
    for problem in problems_found:  # with places in the full schema
        length = len(text[: head.end()].strip())
        problems.add(PATH, problem.message, offset=head.start("ns"), length=length)
    return schema


def _resolve(text: str, answer: OperatorSchemas, problems: Problems) -> str | None:
    """Return the full schema of an existing operator, of which the spec may have the name only."""
    head = read_head(text)
    name, overload = f"{head['ns']}::{head['name']}", head["overload"] or ""
    by_overload = {read_head(schema)["overload"] or "": schema for schema in answer.schemas}
    if not by_overload:
        fact = answer.missing
    elif overload not in by_overload:
        usable = sorted(o for o in by_overload if "out" not in o) or sorted(by_overload)
        choices = join_words((f"{name}.{other}".rstrip(".") for other in usable), "or")
        which = f"overload {overload}" if overload else "overload without a name"
        fact = f"{name} has no {which}; write {choices}"
    elif text[head.end() :].strip() and not _means_the_same(text, by_overload[overload]):
        schema = by_overload[overload]
        fact = f"the registered {name} has another signature; write {schema}, or its name alone"
    else:
        return by_overload[overload]
    problems.add(PATH, fact, offset=head.start("name"), length=max(len(head["name"]), 1))
    return None


def _means_the_same(written: str, schema: str) -> bool:
    """Return whether two schemas differ only in the notation of defaults. PyTorch's table and its
    output have different ones: ``1.0`` and ``1.``, ``int[2] stride=1`` and ``[1, 1]``.
    """
    written = written.replace("=Mean", "=1")
    spaced, other = (re.sub(r"\s+", "", text.partition("(")[2]) for text in (written, schema))
    read, expected = (_read(text, Problems(), exists=True) for text in (written, schema))
    return spaced == other or (read is not None and read == expected)
