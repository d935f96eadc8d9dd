"""The specs of a package → PackageSpec, with the problems of each spec and of all together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum, auto

from onnxop_runtime.messages import shown
from onnxop_runtime.specs import names
from onnxop_runtime.specs.document import keys_of
from onnxop_runtime.specs.positions import Path

from ..errors import InvalidSpecError
from . import metadata
from .draft import Draft
from .load import check_kernel_name
from .model import Metadata, PackageSpec, Spec

_KEYS = tuple(keys_of(("package",)))

DraftSpecs = Sequence[tuple[Draft, Spec]]
"""The drafts whose operators are known, with their specs, which may lack other parts."""


class Purpose(Enum):
    """What the specs of a package are combined for."""

    NEW = auto()
    """A new package, whose files are named after their operators."""
    CURRENT = auto()
    """The package as its specs are now."""
    PART_OF_CURRENT = auto()
    """Some of its specs; those that they need may be among the others."""
    UPDATE = auto()
    """An update, in which a kernel may still name the operator that an earlier spec had."""


def combine(drafts: Sequence[Draft], name: str, purpose: Purpose) -> PackageSpec:
    """Return the package of these specs. Raise `InvalidSpecError` with everything that is wrong
    with each of them, and with all together.

    ``name`` is the package's, if the specs do not give it.
    """
    is_new = purpose is Purpose.NEW
    if not drafts:
        raise InvalidSpecError(["ops: has no op spec; a package needs one"])
    pairs = [(draft, draft.spec) for draft in drafts]
    parsed = [(draft, spec) for draft, spec in pairs if spec is not None]
    name_problems = _name_problems(drafts, name, is_new=is_new)
    package = _merged_metadata(parsed, name, is_new=is_new)
    _check_unique(parsed)
    if len(parsed) == len(drafts):
        _check_runtimes(parsed)
        if purpose is not Purpose.PART_OF_CURRENT:
            _check_needs(parsed)
    if package is not None:
        parsed = [(draft, replace(spec, package=package)) for draft, spec in parsed]
        if purpose is not Purpose.UPDATE:
            is_named = "name" in package.given_keys or (is_new and not name_problems)
            _check_kernel_names(parsed, is_named=is_named)
    messages = [message for draft in drafts for message in draft.messages]
    if package is None or name_problems or messages:
        raise InvalidSpecError([*name_problems, *messages])
    ops = [spec for _, spec in parsed]
    if is_new:
        ops = [replace(spec, file=f"{spec.schema.declared_name}.toml") for spec in ops]
    return PackageSpec(package, tuple(ops), explicit_name=package.name if name else "")


def with_runtime(package_spec: PackageSpec, runtime: str) -> PackageSpec:
    """Return the package built for one more runtime, which the first spec then names. Raise
    `InvalidSpecError` if a spec lists runtimes without it, or no operator has a C++ kernel.
    """
    if runtime in package_spec.package.runtimes:
        return package_spec
    if problem := _problem_with_runtime(package_spec, runtime):
        raise InvalidSpecError([f"--runtime {runtime}: {problem}"])
    runtimes = (*package_spec.package.runtimes, runtime)
    package = replace(package_spec.package, runtimes=runtimes)
    first, *others = package_spec.ops
    text = _with_line(first.text, f"runtimes = {json.dumps(runtimes)}\n")
    ops = (replace(first, text=text, package=package), *others)
    return replace(package_spec, package=package, ops=ops)


def _problem_with_runtime(package_spec: PackageSpec, runtime: str) -> str:
    """Return why a package cannot be built for one more runtime; "" if it can."""
    if "runtimes" in package_spec.package.given_keys:
        return "the specs have runtimes without it; add it there"
    if not any(spec.is_native for spec in package_spec.ops):
        return "none of the operators has a C++ kernel to build; leave it out"
    if runtime == "cuda" and not any(spec.has_cuda_kernel for spec in package_spec.ops):
        kernels = "an elementwise one, or cuda under [kernel]"
        return f"none of the operators has a kernel for CUDA: {kernels}; leave it out"
    return ""


def _with_line(text: str, line: str) -> str:
    """Return a spec's text with one more line in its table ``[package]``."""
    header = re.search(r"(?m)^\[package\][^\n]*\n", text)
    if header is None:
        return f"{text.rstrip()}\n\n[package]\n{line}"
    return f"{text[: header.end()]}{line}{text[header.end() :]}"


def _check_unique(parsed: DraftSpecs) -> None:
    """Add a problem if two specs share an operator, public name, node or kernel file."""
    owners: dict[tuple[str, str], Draft] = {}
    reported: set[tuple[int, int]] = set()
    for draft, spec in parsed:
        for noun, name, path in _claims(spec):
            owner = owners.setdefault((noun, name), draft)
            pair = id(owner), id(draft)
            if owner is not draft and pair not in reported:
                reported.add(pair)
                fact = f"{owner.path} has {noun} {name}, too; keep one, or give one a name of its "
                remedy = 'own, as in name = "..." under [op], or op_type = "..." under [onnx]'
                draft.problems.add(path, fact + remedy)


def _claims(spec: Spec) -> Iterator[tuple[str, str, Path]]:
    """Yield the names that no other spec of the package may have: a noun, the name, and its key."""
    schema, key = spec.schema, ("op", "schema")
    domain = spec.default_domain or ("" if schema.exists else schema.namespace)
    yield "the operator", schema.full_name, key
    yield "the name", schema.public_name, key
    if schema.in_place:
        yield "the name", schema.declared_name, key
    yield "the name", spec.class_name, key
    yield "the name", f"{spec.class_name}Function", key
    yield "the node", f"{domain}::{spec.op_type}".removeprefix("::"), ("onnx", "op_type")
    if spec.kernel_gradients:
        yield "the name", f"{schema.public_name}_backward", key
    if spec.kernel_file:
        yield "the kernel's file", spec.kernel_file, ("kernel", "source")
    if spec.cuda_file:
        yield "the kernel's file", spec.cuda_file, ("kernel", "cuda")


def _check_needs(specs: DraftSpecs) -> None:
    """Add a problem for each operator of a decomposition that has no spec."""
    names_known = {spec.schema.title for _, spec in specs}
    names_known |= {spec.schema.full_name for _, spec in specs}
    for draft, spec in specs:
        for index, name in enumerate(spec.mapping.needs):
            if name not in names_known:
                fact = f"the package has no spec of {name}"
                remedy = f"add the one that onnxop new --from {name} writes"
                draft.problems.add(("onnx", "decomposed", index), f"{fact}; {remedy}")


def _name_problems(drafts: Sequence[Draft], name: str, *, is_new: bool) -> list[str]:
    """Return what is wrong with the package's name if no spec gives it."""
    is_in_a_spec = any(("package", "name") in draft.document.keys for draft in drafts)
    if is_in_a_spec or not (name or len(drafts) > 1):
        return []
    remedy = 'name = "my_ops" under [package] in one of the specs'
    if not name:
        fact = "missing; a package of several operators needs a name: give --name my_ops, or write"
        return [f"--name: {fact} {remedy}"]
    required = [module for draft in drafts for module in draft.document.op.requires]
    why = names.problem_with_package(name, required)
    if not why:
        return []
    if is_new:
        return [f"--name: {name!r} {why}; choose another"]
    return [f"the name: {name!r} {why}; write {remedy}"]


def _merged_metadata(parsed: DraftSpecs, name: str, *, is_new: bool) -> Metadata | None:
    """Return the package's metadata, each key from the spec that gives it; None without a spec.

    The name of a new package must have one source; an existing package has the specs' name.
    """
    if not parsed:
        return None
    merged = parsed[0][1].package
    owners: dict[str, Draft] = {}
    for draft, spec in parsed:
        values = {
            key: getattr(spec.package, key) for key in _KEYS if key in spec.package.given_keys
        }
        for key, value in values.items():
            owner = owners.setdefault(key, draft)
            if getattr(merged, key) != value and owner is not draft:
                fact = f"{key} is {shown(getattr(merged, key))} in {owner.path}"
                draft.problems.add(("package", key), f"{fact}; remove one of the two")
                values = values | {key: getattr(merged, key)}
        merged = replace(merged, **values, given_keys=merged.given_keys | spec.package.given_keys)
    is_in_a_spec = "name" in merged.given_keys
    if is_new and name and is_in_a_spec and merged.name != name:
        fact = f"{merged.name} here, but {name} was asked for; remove one of the two"
        owners["name"].problems.add(("package", "name"), fact)
    elif name and not is_in_a_spec:
        merged = replace(merged, name=name)
    if len(parsed) > 1 and "description" not in merged.given_keys:
        subject = f"The operators of {merged.name}"
        merged = replace(merged, description=metadata.default_description(subject))
    return merged


def _check_kernel_names(specs: DraftSpecs, *, is_named: bool) -> None:
    """Add a problem for each kernel written by hand that names another operator."""
    for draft, spec in specs:
        check_kernel_name(spec, draft.problems, is_named=is_named)


def _check_runtimes(specs: DraftSpecs) -> None:
    """Add a problem for a runtime that none of the operators has a kernel for."""
    if not all(draft.is_valid("kernel") for draft, _ in specs):
        return
    owners = [pair for pair in specs if "runtimes" in pair[1].package.given_keys]
    if not owners:
        return
    owner, spec_of_owner = owners[0]
    runtimes = spec_of_owner.package.runtimes
    path = ("package", "runtimes")
    if "openvino" in runtimes and not any(spec.is_native for _, spec in specs):
        fact = 'has "openvino", but none of the operators has a C++ kernel to build'
        reason = "OpenVINO runs ONNX functions once onnx.inliner has inlined them"
        owner.problems.add(path, f"{fact}; remove it: {reason}")
    if "cuda" in runtimes and not any(spec.has_cuda_kernel for _, spec in specs):
        fact = 'has "cuda", but none of the operators has a kernel for CUDA'
        remedy = "an elementwise one, or cuda under [kernel]; remove it"
        owner.problems.add(path, f"{fact}: {remedy}")
