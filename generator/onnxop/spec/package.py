"""The specs of a package → PackageSpec: each checked by itself, then held against the others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from .. import names
from ..errors import Problems, SpecError, shown
from . import metadata, source
from .load import check, check_kernel_name
from .model import Metadata, PackageSpec, Spec
from .tables import Examiner

_KEYS = ("name", "version", "description", "license", "authors", "runtimes")


def load_package(
    paths: Sequence[FilePath],
    name: str = "",
    *,
    is_new: bool,
    is_update: bool = False,
    examiner: Examiner | None = None,
) -> PackageSpec:
    """The package of the specs in these files.

    Args:
        paths: the files, or one folder of them.
        name: the package's name, where the specs do not give it.
        is_new: the specs go into a package under their operators' names; else they lie in one.
        is_update: the kernels may still be those of what the specs said before.
        examiner: what says of mappings what is wrong with them.

    Raises:
        SpecError: all that is wrong with any of them, or with all together.
    """
    drafts = _read([(path, None) for path in files(paths)], name, examiner)
    made = _package(drafts, name, is_new=is_new)
    if not is_update:
        is_named = is_new or "name" in made.package.given
        for draft, spec in zip(drafts, made.ops, strict=True):
            check_kernel_name(spec, draft.problems, is_named=is_named)
        if lines := _messages(drafts):
            raise SpecError(lines)
    return made


def with_runtime(made: PackageSpec, runtime: str) -> PackageSpec:
    """The package built for one more runtime, as the first of its specs then says.

    Raises:
        SpecError: the specs say which they are, without this one; or there is nothing to build.
    """
    if runtime in made.package.runtimes:
        return made
    first = made.ops[0]
    place = f"--runtime {runtime}"
    if "runtimes" in made.package.given:
        raise SpecError([f"{place}: the specs have runtimes without it; write it there"])
    if not any(spec.is_native for spec in made.ops):
        raise SpecError([f"{place}: none of the operators has a C++ kernel to build; leave it out"])
    line = f"runtimes = {json.dumps([*made.package.runtimes, runtime])}\n"
    text, count = re.subn(
        r"(?m)^\[package\][^\n]*\n", lambda found: found[0] + line, first.text, count=1
    )
    text = text if count else f"{first.text.rstrip()}\n\n[package]\n{line}"
    package = replace(made.package, runtimes=(*made.package.runtimes, runtime))
    ops = (replace(first, text=text, package=package), *made.ops[1:])
    return replace(made, package=package, ops=ops)


def parse_package(
    texts: Mapping[str, str], name: str = "", *, examiner: Examiner | None = None
) -> PackageSpec:
    """The package of the specs in these texts, by the names of their files in ``ops/``.

    Raises:
        SpecError: all that is wrong with any of them, or with all together.
    """
    given = [(FilePath("ops", file), text) for file, text in sorted(texts.items())]
    return _package(_read(given, name, examiner), name, is_new=False)


@dataclass
class _Draft:
    """A spec that may still be wrong."""

    path: FilePath
    text: str
    spec: Spec | None = None
    problems: Problems = field(default_factory=Problems)


_Sound = Sequence[tuple[_Draft, Spec]]


def _messages(drafts: Iterable[_Draft]) -> list[str]:
    return [line for d in drafts for line in source.messages(d.path, d.text, d.problems)]


def files(paths: Sequence[FilePath]) -> list[FilePath]:
    """The specs' files: those given, and of a folder all.

    Raises:
        SpecError: a folder holds none, or one is given twice.
    """
    found: dict[FilePath, FilePath] = {}
    for path in paths:
        inside = [path]
        if path.is_dir():  # which may be that of a package
            inside = specs_in(path) or sorted(path.glob("ops/*.toml"))
        if not inside:
            raise SpecError([f"{path}: holds no op spec; give a folder of .toml files, or files"])
        for file in inside:
            if file.absolute() in found:
                raise SpecError([f"{file}: is given twice; give it once"])
            found[file.absolute()] = file
    return [*found.values()]


def specs_in(folder: FilePath) -> list[FilePath]:
    """The specs that lie in a folder itself, by their names."""
    return sorted(file for file in folder.glob("*.toml") if file.name != "pyproject.toml")


def _read(
    given: Sequence[tuple[FilePath, str | None]], name: str, examiner: Examiner | None
) -> list[_Draft]:
    is_alone = len(given) == 1 and not name
    drafts: list[_Draft] = []
    lines: list[str] = []
    for path, text in given:
        try:
            draft = _Draft(path, source.read(path) if text is None else text)
            draft.spec = check(
                draft.text, path, draft.problems, names_package=is_alone, examiner=examiner
            )
            drafts.append(draft)
        except SpecError as error:
            lines += error.lines
    if examiner is not None:
        examiner.finish()
    if lines:
        raise SpecError([*lines, *_messages(drafts)])
    return drafts


def _package(drafts: Sequence[_Draft], name: str, *, is_new: bool) -> PackageSpec:
    if not drafts:
        raise SpecError(["ops: holds no op spec; a package needs one"])
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
    """Each operator, each name that the package offers, each node and each kernel's file is there
    once; of what two specs have in common, the first thing is told.
    """
    holders: dict[tuple[str, str], _Draft] = {}
    told: set[tuple[int, int]] = set()
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
        for what, name, path in claims:
            other = holders.setdefault((what, name), draft)
            if other is not draft and (id(other), id(draft)) not in told:
                told.add((id(other), id(draft)))
                fact = f"{other.path} has {what} {name}, too; keep one, or give one a name of its "
                remedy = 'own, as in name = "..." under [op], or op_type = "..." under [onnx]'
                draft.problems.add(path, fact + remedy)


def _check_needs(sound: _Sound) -> None:
    """What an operator is made of has a spec, too."""
    known = {name for _, spec in sound for name in (spec.schema.title, spec.schema.full_name)}
    for draft, spec in sound:
        for place, name in enumerate(spec.mapping.needs):
            if name not in known:
                fact = f"the package has no spec of {name}; put one beside this"
                remedy = f"as onnxop new --from {name} writes it"
                draft.problems.add(("onnx", "decomposed", place), f"{fact}, {remedy}")


def _name_problems(sound: _Sound, name: str, *, is_new: bool) -> list[str]:
    """What is wrong with the package's name where no spec gives it."""
    is_given = any("name" in spec.package.given for _, spec in sound)
    if is_given or not (name or len(sound) > 1):
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
    """The package's metadata, each key from the spec that gives it.

    A new package's name is given once; one that has a name takes another from its specs.
    """
    if not sound:
        return None
    found = sound[0][1].package
    holders: dict[str, _Draft] = {}
    for draft, spec in sound:
        given = {key: getattr(spec.package, key) for key in _KEYS if key in spec.package.given}
        for key, value in given.items():
            holder = holders.setdefault(key, draft)
            if getattr(found, key) != value and holder is not draft:
                fact = (
                    f"{key} is {shown(getattr(found, key))} in {holder.path}; remove one of the two"
                )
                draft.problems.add(("package", key), fact)
                given = given | {key: getattr(found, key)}
        found = replace(found, **given, given=found.given | spec.package.given)
    is_given = "name" in found.given
    if is_new and name and is_given and found.name != name:
        fact = f"{found.name} here, but {name} was asked for; remove one of the two"
        holders["name"].problems.add(("package", "name"), fact)
    elif name and not is_given:
        found = replace(found, name=name)
    if "openvino" in found.runtimes and not any(spec.is_native for _, spec in sound):
        fact = (
            'has "openvino", but none of the operators has a C++ kernel to build; remove it: OpenVINO runs '
            "functions once onnx.inliner has put their nodes in place"
        )
        holders["runtimes"].problems.add(("package", "runtimes"), fact)
    if len(sound) > 1 and "description" not in found.given:
        what = f"The operators of {found.name}"
        found = replace(found, description=metadata.default_description(what))
    return found
