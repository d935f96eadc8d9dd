"""The specs of a package → PackageSpec: each checked by itself, then held against the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from ..errors import Problems, SpecError, listed, shown
from ..schema.signature import OpSchema
from ..words import names
from . import metadata, source
from .examiner import Examiner
from .load import check, check_kernel_name
from .model import Package, PackageSpec, Spec

_KEYS = ("name", "version", "description", "license", "authors")


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
    given: list[tuple[FilePath, str | None]] = [(path, None) for path in files(paths)]
    drafts = _read(given, name, examiner)
    made = _package(drafts, name, is_new=is_new)
    if is_update:
        return made
    is_named = is_new or "name" in made.package.given
    for draft, spec in zip(drafts, made.ops, strict=True):
        check_kernel_name(spec, draft.problems, is_named=is_named)
    if lines := [line for draft in drafts for line in draft.messages()]:
        raise SpecError(lines)
    return made


def parse_package(
    texts: Mapping[str, str], name: str = "", *, examiner: Examiner | None = None
) -> PackageSpec:
    """The package of the specs in these texts, by the names of their files in ``ops/``.

    Raises:
        SpecError: all that is wrong with any of them, or with all together.
    """
    given: list[tuple[FilePath, str | None]] = [
        (FilePath("ops", file), text) for file, text in sorted(texts.items())
    ]
    return _package(_read(given, name, examiner), name, is_new=False)


@dataclass
class _Draft:
    """A spec that may still be wrong."""

    path: FilePath
    text: str
    spec: Spec | None = None
    problems: Problems = field(default_factory=Problems)

    def messages(self) -> list[str]:
        return source.messages(self.path, self.text, self.problems)


_Sound = Sequence[tuple[_Draft, Spec]]


def files(paths: Sequence[FilePath]) -> list[FilePath]:
    """The specs' files: those given, and of a folder all.

    Raises:
        SpecError: a folder holds none, or one is given twice.
    """
    found: dict[FilePath, FilePath] = {}
    for path in paths:
        inside = _inside(path) if path.is_dir() else [path]
        if not inside:
            raise SpecError([f"{path}: holds no op spec; give a folder of .toml files, or files"])
        for file in inside:
            if file.absolute() in found:
                raise SpecError([f"{file}: is given twice; give it once"])
            found[file.absolute()] = file
    return [*found.values()]


def _inside(folder: FilePath) -> list[FilePath]:
    """The specs in a folder, which may be that of a package."""
    return specs_in(folder) or sorted(folder.glob("ops/*.toml"))


def specs_in(folder: FilePath) -> list[FilePath]:
    """The specs that lie in a folder itself, by their names."""
    return sorted(file for file in folder.glob("*.toml") if file.name != "pyproject.toml")


def _read(
    given: Sequence[tuple[FilePath, str | None]], name: str, examiner: Examiner | None = None
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
    if lines:
        raise SpecError([*lines, *(line for draft in drafts for line in draft.messages())])
    return drafts


def _package(drafts: Sequence[_Draft], name: str, *, is_new: bool) -> PackageSpec:
    if not drafts:
        raise SpecError(["ops: holds no op spec; a package needs one"])
    sound = [(draft, draft.spec) for draft in drafts if draft.spec is not None]
    _check_names(sound)
    _check_gradients(sound)
    _check_kernels(sound)
    _check_needs(sound)
    for key in _KEYS:
        _check_metadata(sound, key)
    package = _metadata(sound, name, is_new=is_new)
    lines = _name_problems(sound, name, is_new=is_new) if len(sound) == len(drafts) else []
    lines += [line for draft in drafts for line in draft.messages()]
    if lines or package is None:
        raise SpecError(lines)
    ops = tuple(
        replace(
            spec,
            package=package,
            file=f"{spec.schema.called}.toml" if is_new else draft.path.name,
        )
        for draft, spec in sound
    )
    return PackageSpec(package, ops, package.name if name else "")


def _check_names(sound: _Sound) -> None:
    """Each operator once, and each name that the package offers once."""
    operators, offered, nodes = _Holders(), _Holders(), _Holders()
    for draft, spec in sound:
        schema = spec.schema
        if operators.add(schema.full_name, draft):
            continue
        for name in (schema.called, spec.class_name, f"{spec.class_name}Function"):
            offered.add(name, draft)
        domain = spec.default_domain or ("" if schema.exists else schema.namespace)
        nodes.add(f"{domain}::{spec.op_type}".removeprefix("::"), draft)
    for op, told, others in operators.clashes():
        files = listed(str(other.path) for other in others)
        told.problems.add(("op", "schema"), f"{op} is the operator of {files}, too; keep one")
    for name, told, others in offered.clashes():
        remedy = "rename one"
        if told.spec is not None and (schema := told.spec.schema).exists:
            remedy = f'give one a name of its own, as in name = "{_spare(schema)}" under [op]'
        fact = f"the package offers {name} of {_places(others)}, too; {remedy}"
        told.problems.add(("op", "schema"), fact)
    for node, told, others in nodes.clashes():
        fact = f"{node} is the node of {_places(others)}, too; give each an op_type of its own"
        told.problems.add(("onnx", "op_type"), fact)


def _check_needs(sound: _Sound) -> None:
    """What an operator is made of has a spec, too."""
    known = {name for _, spec in sound for name in (spec.schema.title, spec.schema.full_name)}
    for draft, spec in sound:
        for place, name in enumerate(spec.mapping.needs):
            if name not in known:
                fact = f"the package has no spec of {name}; put one beside this"
                remedy = f"as onnxop new --from {name} writes it"
                draft.problems.add(("onnx", "decomposed", place), f"{fact}, {remedy}")


class _Holders:
    """The specs by something that only one of them can have."""

    def __init__(self) -> None:
        self._found: dict[str, list[_Draft]] = {}

    def add(self, key: str, draft: _Draft) -> bool:
        """Whether another has it already."""
        found = self._found.setdefault(key, [])
        found.append(draft)
        return len(found) > 1

    def clashes(self) -> list[tuple[str, _Draft, list[_Draft]]]:
        """What several have, the second of them, which is told, and the others; of specs that have
        several things in common the first.
        """
        firsts: dict[tuple[int, ...], tuple[str, _Draft, list[_Draft]]] = {}
        for key, (first, *rest) in self._found.items():
            if rest:
                places = tuple(map(id, (first, *rest)))
                firsts.setdefault(places, (key, rest[0], [first, *rest[1:]]))
        return [*firsts.values()]


def _places(drafts: Sequence[_Draft]) -> str:
    return listed(f"{d.spec.schema.full_name} ({d.path})" for d in drafts if d.spec is not None)


def _spare(schema: OpSchema) -> str:
    """A name for one of several overloads."""
    return names.snake(f"{schema.name.strip('_')}_{schema.overload or 'of_' + schema.namespace}")


def _check_gradients(sound: _Sound) -> None:
    """No operator is called as the one that computes the gradients of another."""
    holders = {spec.op: draft for draft, spec in sound}
    for draft, spec in sound:
        name = f"{spec.op}_backward"
        if spec.kernel_gradients and name in holders:
            fact = f"{name} would also be the operator that computes the gradients of the one in"
            problem = f"{fact} {draft.path}; rename one"
            holders[name].problems.add(("op", "schema"), problem)


def _check_kernels(sound: _Sound) -> None:
    """Each kernel written by hand has a file of its own."""
    holders = _Holders()
    for draft, spec in sound:
        if spec.kernel_file:
            holders.add(spec.kernel_file, draft)
    for file, told, others in holders.clashes():
        fact = f"{file} is the kernel's file of {_places(others)}, too; rename one"
        told.problems.add(("kernel", "source"), fact)


def _check_metadata(sound: _Sound, key: str) -> None:
    """What several specs say of the package is the same."""
    given = [
        (draft, getattr(spec.package, key)) for draft, spec in sound if key in spec.package.given
    ]
    differing = [(draft, value) for draft, value in given if value != given[0][1]]
    if differing:
        told, value = differing[0]
        others = [pair for pair in given if pair[1] != value]
        fact = listed(f"{shown(other)} in {draft.path}" for draft, other in others)
        remedy = "a package has one: remove all lines but one"
        told.problems.add(("package", key), f"{key} is {fact}; {remedy}")


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


def _metadata(sound: _Sound, name: str, *, is_new: bool) -> Package | None:
    """The package's metadata, each key from the spec that gives it.

    A new package's name is given once; one that has a name takes another from its specs.
    """
    if not sound:
        return None
    found = sound[0][1].package
    for _, spec in sound:
        given = {key: getattr(spec.package, key) for key in _KEYS if key in spec.package.given}
        found = replace(found, **given, given=found.given | spec.package.given)
    is_given = "name" in found.given
    if is_new and name and is_given and found.name != name:
        holder = next(draft for draft, spec in sound if "name" in spec.package.given)
        holder.problems.add(
            ("package", "name"),
            f"{found.name} here, but {name} was asked for; remove one of the two",
        )
    elif name and not is_given:
        found = replace(found, name=name)
    if len(sound) > 1 and "description" not in found.given:
        what = f"The operators of {found.name}"
        found = replace(found, description=metadata.default_description(what))
    return found
