"""The specs of a package → PackageSpec. Each spec is checked alone, then together with the others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath

from onnxop_runtime.specs import names, reading
from onnxop_runtime.specs.reading import NO_SPEC, Reading, specs_of

from ..errors import Problems, SpecError, shown
from ..kernel.kinds import Elementwise
from . import metadata, source
from .load import check, check_kernel_name
from .model import Metadata, PackageSpec, Spec
from .tables import NOTHING, Examiner, Recorded

_KEYS = ("name", "version", "description", "license", "authors", "runtimes")


Readings = Sequence[tuple[FilePath, Reading]]
"""The specs that were read, with their paths."""


def read(paths: Sequence[FilePath]) -> Readings:
    """Return the specs in these files, or in folders. Raise `SpecError` for all faults of TOML, keys and
    types, which are told without torch and onnx.
    """
    readings = [(path, source.read(path)) for path in files(paths)]
    _raise_first(readings)
    return readings


def load_package(
    readings: Readings,
    name: str = "",
    *,
    is_new: bool,
    is_update: bool = False,
    examiner: Examiner | None = None,
    recorded: Recorded = NOTHING,
) -> PackageSpec:
    """Return the package of these specs. Raise `SpecError` with everything that is wrong with each of
    them, and with all together.

    ``name`` is the package's, if the specs do not give it. ``is_new``: the specs make a new
    package, in files named after their operators. ``is_update``: a kernel may still name the
    operator that an earlier spec had. ``examiner`` checks the mappings;
    ``recorded`` is what the package records of its earlier specs.
    """
    drafts = _checked(readings, name, examiner, recorded)
    package_spec = _package(drafts, name, is_new=is_new)
    if not is_update:
        is_named = is_new or "name" in package_spec.package.keys
        for draft, spec in zip(drafts, package_spec.ops, strict=True):
            check_kernel_name(spec, draft.problems, is_named=is_named)
        if lines := _messages(drafts):
            raise SpecError(lines)
    return package_spec


def with_runtime(package_spec: PackageSpec, runtime: str) -> PackageSpec:
    """Return the package built for one more runtime, which the first spec then names. Raise
    `SpecError` if a spec lists runtimes without it, or no operator has a C++ kernel.
    """
    if runtime in package_spec.package.runtimes:
        return package_spec
    first = package_spec.ops[0]
    place = f"--runtime {runtime}"
    if "runtimes" in package_spec.package.keys:
        raise SpecError([f"{place}: the specs have runtimes without it; add it there"])
    if not any(spec.is_native for spec in package_spec.ops):
        raise SpecError([f"{place}: none of the operators has a C++ kernel to build; leave it out"])
    if runtime == "cuda" and not any(map(_has_cuda_kernel, package_spec.ops)):
        raise SpecError([f"{place}: none of the operators has an elementwise kernel; leave it out"])
    line = f"runtimes = {json.dumps([*package_spec.package.runtimes, runtime])}\n"
    text, count = re.subn(
        r"(?m)^\[package\][^\n]*\n", lambda header: header[0] + line, first.text, count=1
    )
    text = text if count else f"{first.text.rstrip()}\n\n[package]\n{line}"
    package = replace(package_spec.package, runtimes=(*package_spec.package.runtimes, runtime))
    ops = (replace(first, text=text, package=package), *package_spec.ops[1:])
    return replace(package_spec, package=package, ops=ops)


def _has_cuda_kernel(spec: Spec) -> bool:
    return isinstance(spec.kernel, Elementwise)


def parse_package(
    texts: Mapping[str, str], name: str = "", *, examiner: Examiner | None = None
) -> PackageSpec:
    """Return the package of the specs in these texts, by the names of their files in ``ops/``.
    Raise `SpecError` with everything that is wrong with them.
    """
    readings = []
    for file, text in sorted(texts.items()):
        path = FilePath("ops", file)
        readings.append((path, reading.read_text(text, str(path))))
    return _package(_checked(readings, name, examiner), name, is_new=False)


@dataclass
class _Draft:
    """A spec that may still have problems."""

    path: FilePath
    read: Reading
    spec: Spec | None = None

    @property
    def problems(self) -> Problems:
        return self.read.problems


_Sound = Sequence[tuple[_Draft, Spec]]


def _messages(drafts: Iterable[_Draft]) -> list[str]:
    return [str(problem) for draft in drafts for problem in draft.read.placed()]


def files(paths: Sequence[FilePath]) -> list[FilePath]:
    """Return the specs' files. Raise `SpecError` for a folder without any, or a repeated file."""
    by_path: dict[FilePath, FilePath] = {}
    for path in paths:
        inside = [path]
        if path.is_dir():  # of specs, or of a package
            inside = specs_of(path)
        if not inside:
            raise SpecError([f"{path}: {NO_SPEC}"])
        for file in inside:
            if file.absolute() in by_path:
                raise SpecError([f"{file}: is given twice; give it once"])
            by_path[file.absolute()] = file
    return [*by_path.values()]


def _raise_first(readings: Readings) -> None:
    """Raise `SpecError` if a spec has faults of TOML, keys or types."""
    if lines := [str(problem) for _, read in readings for problem in read.placed()]:
        raise SpecError(lines)


def _checked(
    readings: Readings, name: str, examiner: Examiner | None, recorded: Recorded = NOTHING
) -> list[_Draft]:
    _raise_first(readings)
    drafts = [_Draft(path, read) for path, read in readings]
    is_alone = len(drafts) == 1 and not name
    for draft in drafts:
        draft.spec = check(
            draft.read,
            draft.path,
            names_package=is_alone,
            examiner=examiner,
            recorded=recorded,
        )
    if examiner is not None:
        examiner.finish()
    return drafts


def _package(drafts: Sequence[_Draft], name: str, *, is_new: bool) -> PackageSpec:
    if not drafts:
        raise SpecError(["ops: has no op spec; a package needs one"])
    sound = [(draft, draft.spec) for draft in drafts if draft.spec is not None]
    _check_unique(sound)
    _check_needs(sound)
    package = _metadata(sound, name, is_new=is_new)
    lines = _name_problems(sound, name, is_new=is_new) if len(sound) == len(drafts) else []
    lines += _messages(drafts)
    if lines or package is None:
        raise SpecError(lines)
    ops = [replace(spec, package=package, file=draft.path.name) for draft, spec in sound]
    if is_new:
        ops = [replace(spec, file=f"{spec.schema.called}.toml") for spec in ops]
    return PackageSpec(package, tuple(ops), package.name if name else "")


def _check_unique(sound: _Sound) -> None:
    """Add a problem if two specs share an operator, public name, node or kernel file."""
    holders: dict[tuple[str, str], _Draft] = {}
    reported: set[tuple[int, int]] = set()
    for draft, spec in sound:
        schema = spec.schema
        domain = spec.default_domain or ("" if schema.exists else schema.namespace)
        of_schema = ("op", "schema")
        claims: list[tuple[str, str, tuple[str, str]]] = [
            ("the operator", schema.full_name, of_schema),
            ("the name", schema.called, of_schema),
            ("the name", spec.class_name, of_schema),
            ("the name", f"{spec.class_name}Function", of_schema),
            ("the node", f"{domain}::{spec.op_type}".removeprefix("::"), ("onnx", "op_type")),
        ]
        if spec.kernel_gradients:
            claims.append(("the name", f"{schema.called}_backward", of_schema))
        if spec.kernel_file:
            claims.append(("the kernel's file", spec.kernel_file, ("kernel", "source")))
        for kind, name, path in claims:
            other = holders.setdefault((kind, name), draft)
            if other is not draft and (id(other), id(draft)) not in reported:
                reported.add((id(other), id(draft)))
                fact = f"{other.path} has {kind} {name}, too; keep one, or give one a name of its "
                remedy = 'own, as in name = "..." under [op], or op_type = "..." under [onnx]'
                draft.problems.add(path, fact + remedy)


def _check_needs(sound: _Sound) -> None:
    """Add a problem for each operator of a decomposition that has no spec."""
    known = {name for _, spec in sound for name in (spec.schema.title, spec.schema.full_name)}
    for draft, spec in sound:
        for index, name in enumerate(spec.mapping.needs):
            if name not in known:
                fact = f"the package has no spec of {name}"
                remedy = f"add the one that onnxop new --from {name} writes"
                draft.problems.add(("onnx", "decomposed", index), f"{fact}; {remedy}")


def _name_problems(sound: _Sound, name: str, *, is_new: bool) -> list[str]:
    """Return what is wrong with the package's name if no spec gives it."""
    if any("name" in spec.package.keys for _, spec in sound) or not (name or len(sound) > 1):
        return []
    remedy = 'name = "my_ops" under [package] in one of the specs'
    if not name:
        fact = "missing; a package of several operators needs a name: give --name my_ops, or write"
        return [f"--name: {fact} {remedy}"]
    why = names.problem_with_package(
        name, [module for _, spec in sound for module in spec.requires]
    )
    remedy = "choose another" if is_new else f"write {remedy}"
    return [f"{'--name' if is_new else 'the name'}: {name!r} {why}; {remedy}"] if why else []


def _metadata(sound: _Sound, name: str, *, is_new: bool) -> Metadata | None:
    """Return the package's metadata, each key from the spec that gives it.

    The name of a new package must have one source; an existing package has the specs' name.
    """
    if not sound:
        return None
    merged = sound[0][1].package
    holders: dict[str, _Draft] = {}
    for draft, spec in sound:
        values = {key: getattr(spec.package, key) for key in _KEYS if key in spec.package.keys}
        for key, value in values.items():
            holder = holders.setdefault(key, draft)
            if getattr(merged, key) != value and holder is not draft:
                fact = f"{key} is {shown(getattr(merged, key))} in {holder.path}; remove one of the two"
                draft.problems.add(("package", key), fact)
                values = values | {key: getattr(merged, key)}
        merged = replace(merged, **values, keys=merged.keys | spec.package.keys)
    is_given = "name" in merged.keys
    if is_new and name and is_given and merged.name != name:
        fact = f"{merged.name} here, but {name} was asked for; remove one of the two"
        holders["name"].problems.add(("package", "name"), fact)
    elif name and not is_given:
        merged = replace(merged, name=name)
    if "openvino" in merged.runtimes and not any(spec.is_native for _, spec in sound):
        fact = (
            'has "openvino", but none of the operators has a C++ kernel to build; remove it: OpenVINO '
            "runs ONNX functions once onnx.inliner has inlined them"
        )
        holders["runtimes"].problems.add(("package", "runtimes"), fact)
    if "cuda" in merged.runtimes and not any(_has_cuda_kernel(spec) for _, spec in sound):
        fact = 'has "cuda", but none of the operators has an elementwise kernel, which CUDA needs; remove it'
        holders["runtimes"].problems.add(("package", "runtimes"), fact)
    if len(sound) > 1 and "description" not in merged.keys:
        subject = f"The operators of {merged.name}"
        merged = replace(merged, description=metadata.default_description(subject))
    return merged
