"""A package on disk: the data that it records, its versions of the template, and its files
as made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from packaging.version import Version

from onnxop_runtime.installer import pip_install

from .. import __version__
from ..code.data import SCHEMA
from ..errors import OnnxopError
from . import git, recorded, template
from .files import File, Tree
from .rendering import RenderError
from .template import ANSWERS, BUNDLE, Versions

BUNDLE_FILE = BUNDLE.as_posix()
_UNREADABLE = ValueError, TypeError, AttributeError, RecursionError, yaml.YAMLError


class UpdateError(OnnxopError):
    """The package cannot be updated in its state; no file changed."""


class _BundleError(UpdateError):
    """The package's bundle is damaged."""


@dataclass(frozen=True)
class MadePackage:
    """A package: the tag ``version`` of the template in ``source`` made it from ``data``. ``made``
    is what it records of that: see `recorded.make`.
    """

    folder: Path
    version: str
    source: str
    data: recorded.Answers
    made: dict[str, Any]


class PlainLoader(yaml.SafeLoader):
    """YAML without aliases, which can expand a small text beyond all memory."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("has an alias")
        return super().compose_node(parent, index)


def _refused(folder: Path, name: str, problem: object, *others: str) -> UpdateError:
    """Return the error for an invalid file of the package, with git's command to restore it, and
    the others that belong to it.
    """
    names = " ".join([name, *others])
    which = "both: " if others else "it: "
    return UpdateError(
        f"{folder / name}: {problem}; restore {which}git log -- {names} lists its commits, git checkout "
        f"COMMIT -- {names} takes one"
    )


def _refused_to_read(path: Path, error: OSError) -> UpdateError:
    """Return the error for a file that the system does not let onnxop read."""
    return UpdateError(
        f"{path}: cannot be read: {error.strerror}; make it a file that you may read"
    )


def _with_code(folder: Path) -> UpdateError:
    """Return the error for a package of an onnxop before 0.4, whose template has code."""
    return UpdateError(
        f"{folder}: was made by an onnxop before 0.4, whose template runs code; make the package "
        "anew from its ops/, and carry your edits over by git diff"
    )


def check_is_folder(folder: Path) -> None:
    """Raise `UpdateError` for a path that is no folder."""
    if not folder.is_dir():
        raise UpdateError(f"{folder}: is not a folder: onnxop did not make this package")


def read(folder: Path) -> MadePackage:
    """Return the package with the data that it records."""
    check_is_folder(folder)
    folder = folder.absolute()
    try:
        answers = yaml.load((folder / ANSWERS).read_text(encoding="utf-8"), PlainLoader)
        json.dumps(answers, allow_nan=False)
        if not isinstance(answers, dict):
            raise TypeError("it is not a mapping of YAML")
        if "specs" in answers and "schema" not in answers:
            raise _with_code(folder)
        data = {name: answers[name] for name in ("schema", "package", "ops")}
        why = recorded.problem_with(data)
        for name, kind in {"_commit": str, "_src_path": str, "made": dict}.items():
            if not isinstance(answers[name], kind):
                why = why or f"its {name} has the wrong type"
    except FileNotFoundError:
        raise _refused(folder, ANSWERS, "is missing: onnxop did not make this package") from None
    except OSError as error:
        raise _refused_to_read(folder / ANSWERS, error) from None
    except KeyError as error:
        raise _refused(folder, ANSWERS, f"has no {error}") from None
    except _UNREADABLE as error:
        raise _refused(folder, ANSWERS, f"cannot be read: {' '.join(str(error).split())}") from None
    if isinstance(data["schema"], int) and data["schema"] > SCHEMA:
        raise UpdateError(
            f"{folder}: its data has the form {data['schema']}, which onnxop {__version__} does "
            f"not know; run {pip_install()} --upgrade onnxop"
        )
    if why:
        raise _refused(folder, ANSWERS, why)
    return MadePackage(folder, answers["_commit"], answers["_src_path"], data, answers["made"])


@contextmanager
def versions(package: MadePackage, *, is_bundle_mended: bool = False) -> Iterator[Versions]:
    """Provide the versions of the template in the package, with the one that made it.

    ``is_bundle_mended``: if the bundle is damaged, and this onnxop has that version, take its.
    """
    with template.versions() as template_versions:
        try:
            _fetch_bundle(package, template_versions)
        except _BundleError:
            if not (is_bundle_mended and template_versions.is_named_as_present(package.version)):
                raise
            template_versions.replace_by_present(package.version)
        yield template_versions


def _fetch_bundle(package: MadePackage, template_versions: Versions) -> None:
    """Add the versions in the package's bundle. Raise `UpdateError` if it is damaged, or if the
    version that made the package is nowhere.
    """
    version = package.version
    try:
        template_versions.fetch(package.folder / BUNDLE)
    except FileNotFoundError:
        raise _refused_bundle(package, template_versions, "is missing") from None
    except OSError as error:
        if str(error.filename) != str(package.folder / BUNDLE):
            raise
        raise _refused_to_read(package.folder / BUNDLE, error) from None
    except git.GitError:
        raise _refused_bundle(package, template_versions, "is not a bundle of git") from None
    if version not in template_versions.tags() and package.source != BUNDLE_FILE:
        _fetch_release(package, template_versions)
    if version not in template_versions.tags():
        fact = f"has no version {version}, which {ANSWERS} names"
        raise _refused_bundle(package, template_versions, fact)
    if why := template_versions.problem_with(version):
        if why.startswith("it has generator/"):
            raise _with_code(package.folder)
        fact = f"its version {version} is not one of onnxop's templates: {why}"
        raise _refused_bundle(package, template_versions, fact)


def _refused_bundle(
    package: MadePackage, template_versions: Versions, problem: str
) -> _BundleError:
    """Return the error for a damaged bundle, with the commands that restore it, or make it anew."""
    error = _refused(package.folder, BUNDLE_FILE, problem)
    is_mended = template_versions.is_named_as_present(package.version)
    return _BundleError(
        f"{error}; or run onnxop fetch, which makes it anew" if is_mended else error
    )


def _fetch_release(package: MadePackage, template_versions: Versions) -> None:
    """Add the version to which copier updated the package from another place than its bundle."""
    try:
        address = template.address_of(package.source, package.folder)
        template_versions.fetch_release(address, package.version)
    except git.GitError as error:
        raise UpdateError(
            f"{package.folder}: copier updated it to {package.version} from {package.source}, "
            f"which cannot be read ({' '.join(error.output.split())}); run this again where git "
            "can reach it"
        ) from None


def next_version(package: MadePackage, template_versions: Versions) -> str:
    """Return this onnxop's version. Raise `UpdateError` if the package's is newer."""
    version = template_versions.add_present()
    if Version(version) < Version(package.version):
        raise UpdateError(
            f"{package.folder}: was made by a newer template, {package.version}, than this onnxop "
            f"{__version__} has, {version}; run {pip_install()} --upgrade onnxop"
        )
    return version


def made_of(package: MadePackage, template_versions: Versions) -> dict[str, File]:
    """Render the package again, as the version that made it did. Raise `UpdateError` if that fails,
    or if the files are not those that were made then.
    """
    try:
        files = recorded.make(template_versions, package.version, package.data)
    except RenderError as error:
        fact = f"makes no package of the data in {ANSWERS}: {error}"
        raise _refused(package.folder, BUNDLE_FILE, fact, ANSWERS) from None
    if ANSWERS not in files:
        fact = f"{package.version} is not a template of onnxop"
        raise _refused(package.folder, BUNDLE_FILE, fact)
    _check_is_as_recorded(package, template_versions, files)
    return files


def _check_is_as_recorded(package: MadePackage, template_versions: Versions, files: Tree) -> None:
    """Raise `UpdateError` if the recorded data makes other files now than it made then: their
    differences would pass for the user's edits.
    """
    made = package.made
    is_recorded = recorded.describes(made, package.version, package.data)
    if not is_recorded or made.get("tree") == recorded.tree_of(template_versions, files):
        return
    releases = {name: made.get(name) for name in recorded.RENDERERS}
    if releases == recorded.renderers():
        fact = "its data makes other files now than when it was recorded"
        problem = f"{fact}, so it or {BUNDLE_FILE} was edited"
        raise _refused(package.folder, ANSWERS, problem, BUNDLE_FILE)
    requirements = " ".join(f"{name}=={release}" for name, release in releases.items())
    raise UpdateError(
        f"{package.folder}: is now rendered otherwise than when it was made, by copier "
        f"{releases['copier']} and Jinja {releases['jinja2']}, so its edits cannot be told; "
        f"run {pip_install()} {requirements}, and run this again"
    )
