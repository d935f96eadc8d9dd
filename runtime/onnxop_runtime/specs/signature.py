"""PyTorch's schema of an operator: parsed, checked and, for an existing operator, looked up."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ..messages import did_you_mean, join_words, shown
from . import names
from .arguments import (
    BASE_TYPES,
    MEANINGLESS,
    SUPPORTED,
    UNKNOWN_TYPE,
    Argument,
    is_supported,
    read_default,
)
from .parser import PATH, ParsedSchema, Part, outlined, read_head, read_signature
from .problems import Problems

__all__ = ["UNKNOWN_TYPE", "Argument", "OpSchema", "outline", "parse"]
MAX_LENGTH = 10_000
FOREIGN = frozenset({"prim", "prims", "onnx", "quantized", "c10d", "inductor", "higher_order"})
"""PyTorch's own namespaces; nobody else may define an operator there."""


@dataclass(frozen=True)
class OpSchema:
    """``namespace::name.overload(arguments) -> returns``.

    ``exists``: PyTorch, or a module of ``requires``, defines the operator, so the package does not.
    ``returns`` is ``Tensor``, ``(Tensor, Tensor)`` or the like. ``results`` are the results' names
    as in PyTorch's derivatives; an outline has none. ``given_name`` is the spec's name for the
    operator in the package. ``registered`` are its schemas in the modules of ``requires``, as a
    package records them.

    An operator that writes to arguments (``Tensor(a!) cache``) is described by its functional form,
    which returns the written tensors after its results: ``name`` has ``_functional`` at its end.
    ``writes`` are the arguments, and ``in_place`` is the schema as it was written, without the
    namespace.
    """

    namespace: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    exists: bool = False
    returns: str = "Tensor"
    results: tuple[str, ...] = ("result",)
    given_name: str = ""
    registered: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    in_place: str = ""

    @property
    def declared_name(self) -> str:
        """Return the operator's name in the package, or that of the operator that writes to
        arguments.
        """
        return self.in_place.partition("(")[0] or self.public_name

    @property
    def public_name(self) -> str:
        """Return the operator's name in the package."""
        return self.given_name or self.name

    @property
    def full_name(self) -> str:
        """Return PyTorch's name for it, as a spec has it: ``aten::median.dim``."""
        return f"{self.namespace}::{self.name}" + (f".{self.overload}" if self.overload else "")

    @property
    def title(self) -> str:
        """Return the name for messages and pages. It has the overload only if the spec renames it."""
        return self.full_name if self.given_name else f"{self.namespace}::{self.name}"

    @property
    def has_several(self) -> bool:
        """Return whether it returns more than one tensor, in a tuple."""
        return len(self.results) > 1

    @property
    def returns_list(self) -> bool:
        """Return whether it returns a list of tensors."""
        return self.returns == "Tensor[]"

    def with_exposed(self, names: Container[str]) -> OpSchema:
        """Return the schema in which a caller can pass these arguments, even those otherwise left
        at None.
        """
        arguments = [replace(a, is_exposed=True) if a.name in names else a for a in self.arguments]
        return replace(self, arguments=tuple(arguments))

    @property
    def caller_arguments(self) -> tuple[Argument, ...]:
        """Return the arguments that a caller can pass: all that are not left at None."""
        return tuple(argument for argument in self.arguments if not argument.is_always_none)

    @property
    def tensors(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.caller_arguments if argument.is_tensor)

    @property
    def scalars(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.caller_arguments if not argument.is_tensor)


@dataclass(frozen=True)
class Known:
    """PyTorch's schemas of an operator, and the message if there are none."""

    schemas: tuple[str, ...]
    missing: str
    may_be_new: bool = False


class Lookup(Protocol):
    """The look-up of existing operators: in PyTorch's files, or in a process that has imported it."""

    def concerns(self, namespace: str, name: str, requires: Sequence[str]) -> bool:
        """Return whether an operator of that name may exist."""

    def find(
        self, namespace: str, name: str, text: str, requires: tuple[str, ...], problems: Problems
    ) -> Known | None:
        """Return PyTorch's schemas of the operator, or add a problem and return None."""


# Namespaces that other projects register operators in, with the modules that do.
_CALLED_ALIKE = "torch_cluster torch_scatter torch_sparse torch_spline_conv torchao torchaudio torchvision".split()
MODULES = {"fbgemm": "fbgemm_gpu", **{name: name for name in _CALLED_ALIKE}}


def add_unrequired(namespace: str, name: str, text: str, problems: Problems) -> None:
    """Add a problem for an operator of a known module that the spec does not require."""
    module = MODULES[namespace]
    fact = f"{namespace}::{name} is registered by {module}"
    remedy = f'add requires = ["{module}"] to [op]'
    offset = text.index(namespace)
    problems.add(PATH, f"{fact}; {remedy}", offset=offset, length=len(namespace))


def missing_in_aten(name: str, known: Iterable[str]) -> str:
    """Return the message for an operator that PyTorch does not have."""
    hint = did_you_mean(name, known) or "."
    fact = f"PyTorch has no operator aten::{name}{hint}"
    return f"{fact} A new operator needs a namespace of your own, such as my_lib"


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
        known = lookup.find(head["ns"], head["name"], text, tuple(requires), problems)
        if known is None:
            return None
        if known.schemas or not known.may_be_new or not text[head.end() :].strip():
            resolved = _resolve(text, known, problems)
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
    """Add a problem for each invalid name; ``public_name`` is the package's name for the operator."""
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


def _read(text: str, problems: Problems, *, exists: bool = False) -> OpSchema | None:
    signature = read_signature(text, problems)
    if signature is None:
        return None
    problems_before = len(problems)
    arguments = _read_arguments(signature, problems, exists=exists)
    writes = () if exists else _written(signature)
    aliases = [part.alias for part in signature.arguments if "!" in part.alias and not exists]
    if fact := _problem_with_results(signature, arguments, exists=exists, writes=aliases):
        problems.add(PATH, fact, **signature.place_of_returns)
    if len(problems) == problems_before and not any(argument.is_tensor for argument in arguments):
        fact = "the operator has no Tensor argument, which a rule needs; add one, such as Tensor a"
        problems.add(PATH, fact, **signature.place_of_arguments)
    if len(problems) > problems_before:
        return None
    head, results = read_head(text), [*signature.results, *_as_results(signature, writes)]
    declared = [f"{part.type} {part.name}".strip() for part in results]
    returns = f"({', '.join(declared)})" if len(results) > 1 else results[0].type
    schema = OpSchema(
        head["ns"] or "",
        head["name"],
        head["overload"] or "",
        tuple(arguments),
        exists,
        returns,
        _result_names(results, arguments),
    )
    return _functional(schema, text, writes) if writes else schema


def _shared_alias(parts: Iterable[Part]) -> tuple[Part, str] | None:
    """Return a written argument with the alias of another one, and the other's name; None if there
    is none.
    """
    owners: dict[str, str] = {}
    for part in filter(_is_write, parts):
        if part.alias in owners:
            return part, owners[part.alias]
        owners[part.alias] = part.name
    return None


def _written(signature: ParsedSchema) -> tuple[str, ...]:
    """Return the tensors that an operator writes to, as in ``Tensor(a!) cache``."""
    return tuple(part.name for part in signature.arguments if _is_write(part))


def _is_write(part: Part) -> bool:
    return part.type == "Tensor" and re.fullmatch(r"[a-z]!", part.alias) is not None


def _as_results(signature: ParsedSchema, writes: Sequence[str]) -> list[Part]:
    """Return the written tensors as further results; an only result has no name."""
    if not signature.results and len(writes) == 1:
        return [Part("", "Tensor", signature.place_of_returns)]
    return [Part(f"{name}_written", "Tensor", signature.place_of_returns) for name in writes]


def _functional(schema: OpSchema, text: str, writes: tuple[str, ...]) -> OpSchema:
    """Return the functional form of an operator that writes to arguments."""
    name = f"{schema.name}_functional"
    in_place = schema.name + " ".join(text[read_head(text).end() :].split())
    return replace(schema, name=name, writes=writes, in_place=in_place)


def _check_modules(requires: Sequence[str], problems: Problems) -> None:
    """Add a problem for each of ``requires`` that is not the name of a module."""
    for index, module in enumerate(requires):
        if not all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", part) for part in module.split(".")):
            remedy = "write one to import, such as torchvision"
            fact = f"{shown(module)} is not the name of a module; {remedy}"
            problems.add(("op", "requires", index), fact)


def _read_arguments(signature: ParsedSchema, problems: Problems, *, exists: bool) -> list[Argument]:
    """Return the arguments; add a problem for each that is wrong, alone or beside the others."""
    arguments: list[Argument] = []
    for part in signature.arguments:
        argument, fact = _argument(part, arguments, exists=exists)
        arguments.append(argument)
        if fact:
            problems.add(PATH, fact, **part.place)
    if exists:
        return arguments
    if clash := problem_with_names(arguments):
        name, why = clash
        place = next(part.place for part in signature.arguments if part.name == name)
        problems.add(PATH, f"{why}; rename it", **place)
    if shared := _shared_alias(signature.arguments):
        part, other = shared
        fact = f"arguments {other} and {part.name} are both ({part.alias}), one tensor"
        problems.add(PATH, f"{fact}; write another letter", **part.place)
    return arguments


def _argument(part: Part, before: list[Argument], *, exists: bool) -> tuple[Argument, str | None]:
    """Return an argument, and what is wrong with it."""
    has_default = part.default is not None
    argument = Argument(part.name, part.type, has_default, keyword_only=part.keyword_only)
    if fact := _problem_with_name(part, before, exists=exists):
        return argument, fact
    is_aliased = part.alias and ("!" in part.alias or not exists)
    if is_aliased and (fact := _problem_with_alias(part, exists=exists)):
        return argument, fact
    if not is_supported(part.type):
        return argument, _problem_with_type(part, exists=exists)
    if argument.is_tensor and argument.keyword_only and not exists:
        fact = f"argument {part.name} is a keyword-only Tensor, which has no gradient in PyTorch; "
        return argument, f"{fact}move it before the *"
    if part.default is None:
        if argument.keyword_only or not (before and before[-1].has_default):
            return argument, None
        fact = (
            f"argument {part.name} has no default but follows one that has; give it a default or "
        )
        return argument, f"{fact}move it forward"
    value = (None,) if argument.is_always_none else read_default(part.default, part.type)
    if value is None:
        shown_default = shown(part.default, 40)[1:-1]
        fact = f"the default {shown_default} of argument {part.name} is not of type {part.type}; "
        example = argument.example_default
        return argument, fact + (f"write {example}, for example" if example else "remove it")
    return replace(argument, default=value[0]), None


def _problem_with_name(part: Part, before: list[Argument], *, exists: bool) -> str | None:
    """Return why the argument cannot have its name after these others."""
    name = part.name
    if why := names.problem_with_argument(name):
        remedy = "an operator that has it cannot be exported" if exists else "rename it"
        return f"the argument name {name!r} {why}; {remedy}"
    if any(name == other.name for other in before):
        return f"two arguments are named {name}; rename one"
    return None


def _problem_with_type(part: Part, *, exists: bool) -> str | None:
    """Return why an argument of an unsupported type is wrong. One of an operator that exists may be
    left out, if it is None by default, or has no meaning in ONNX.
    """
    base = part.type.rstrip("?").partition("[")[0]
    is_none = part.type.endswith("?") and part.default == "None"
    is_meaningless = base in MEANINGLESS and part.default is not None
    if exists and (is_none or is_meaningless):
        return None
    hint = did_you_mean(base, BASE_TYPES) if base not in BASE_TYPES else ""
    return (
        f"argument {part.name} is of type "
        f"{part.type}{hint or f'; this version supports {SUPPORTED}'}"
    )


def _problem_with_alias(part: Part, *, exists: bool) -> str:
    """Return why an argument cannot be written to or aliased; empty if it can be."""
    is_write = "!" in part.alias and not exists
    if is_write and part.type in ("Tensor?", "Tensor[]"):
        fact = f"argument {part.name} is of type {part.type}, which an operator cannot write to; "
        return f"{fact}write Tensor({part.alias}) {part.name}"
    if is_write and _is_write(part):
        if part.default is None:
            return ""
        return (
            f"argument {part.name} is written to, and has no default then; remove ={part.default}"
        )
    fact = f"argument {part.name} is written to or aliased ({part.alias}), unsupported in ONNX: "
    return f"{fact}return the result instead"


def problem_with_names(arguments: Iterable[Argument]) -> tuple[str, str] | None:
    """Return an argument that tracers confuse with another one, and why; None if there is none.
    torch.fx renames ``self``, most operators' first argument, to ``input``. torch.export gives the
    items of a list ``xs`` the names ``xs_0``, ``xs_1`` and so on.
    """
    by_name = {argument.name: argument for argument in arguments}
    for name, argument in by_name.items():
        if name == "self" and "input" in by_name:
            return name, "torch.fx renames the argument self to input, which is another argument"
        if name == "self" and argument.keyword_only:
            return name, "the argument self is keyword-only, but torch.fx renames it to input"
        stem, _, place = name.rpartition("_")
        of_list = by_name.get(stem)
        if place.isdecimal() and of_list and of_list.is_tensor and of_list.is_list:
            return name, f"torch.export names an item of the list {stem} {name}, too"
    return None


def _problem_with_results(
    signature: ParsedSchema,
    arguments: Sequence[Argument],
    *,
    exists: bool,
    writes: Sequence[str] = (),
) -> str | None:
    results = signature.results
    if writes and any(part.alias for part in results):
        return f"the operator returns {signature.returns}, a tensor that it writes to; write -> ()"
    if writes and not results:
        return None
    types = [part.type for part in results]
    if types == ["Tensor[]"] and exists:
        return None
    if not types or {*types} != {"Tensor"}:
        remedy = "it cannot be exported" if exists else "write -> Tensor, or -> (Tensor, Tensor)"
        fact = f"the operator returns {signature.returns}, but ONNX has only tensors"
        return f"{fact}: {remedy}"
    if len(results) == 1 or exists:
        return None
    return _problem_with_result_names([part.name for part in results if part.name], arguments)


def _problem_with_result_names(
    result_names: Sequence[str], arguments: Sequence[Argument]
) -> str | None:
    """Return why several results cannot have these names; ``grads`` is the tuple of their
    gradients.
    """
    reserved = "is reserved for the generated code"
    for name in result_names:
        why = reserved if name == "grads" else names.problem_with_argument(name)
        if why:
            return f"the name {name!r} {why}; rename it"
        if result_names.count(name) > 1:
            return f"two results are named {name}; rename one"
    if any(argument.name == "grads" for argument in arguments):
        return f"the name 'grads' {reserved}; rename it"
    return None


def _result_names(results: Sequence[Part], arguments: Iterable[Argument]) -> tuple[str, ...]:
    """Return the names of the results, as torchgen makes them."""
    if len(results) == 1:
        return ("result",)
    taken = {argument.name for argument in arguments}
    result_names = [part.name or f"result{position}" for position, part in enumerate(results)]
    return tuple(f"{name}_return" if name in taken else name for name in result_names)


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


def _resolve(text: str, known: Known, problems: Problems) -> str | None:
    """Return the full schema of an existing operator, of which the spec may have the name only."""
    head = read_head(text)
    name, overload = f"{head['ns']}::{head['name']}", head["overload"] or ""
    by_overload = {read_head(schema)["overload"] or "": schema for schema in known.schemas}
    if not by_overload:
        fact = known.missing
    elif overload not in by_overload:
        usable = sorted(o for o in by_overload if "out" not in o) or sorted(by_overload)
        choices = join_words((f"{name}.{other}".rstrip(".") for other in usable), "or")
        which = f"overload {overload}" if overload else "overload without a name"
        fact = f"{name} has no {which}; write {choices}"
    elif text[head.end() :].strip() and not _means_the_same(text, by_overload[overload]):
        wanted = by_overload[overload]
        fact = f"the registered {name} has another signature; write {wanted}, or its name alone"
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
