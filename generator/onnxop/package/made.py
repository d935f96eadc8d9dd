"""The sources of a package: its answers, its versions of the template, and its files as generated."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from packaging.version import Version

from .. import __version__
from ..errors import OnnxopError
from . import git, present, template
from .files import File, read_all
from .render import copy
from .template import ANSWERS, BUNDLE, Versions

BUNDLE_FILE = BUNDLE.as_posix()
_UNREADABLE = OSError, ValueError, TypeError, AttributeError, RecursionError, yaml.YAMLError


class UpdateError(OnnxopError):
    """The package cannot be updated in its state; no file changed."""


@dataclass(frozen=True)
class Package:
    """A generated package: the tag ``version`` of the template made it from ``answers``."""

    folder: Path
    version: str
    answers: dict[str, Any]


class PlainLoader(yaml.SafeLoader):
    """YAML without aliases, which can expand a small text beyond all memory."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("has an alias")
        return super().compose_node(parent, index)


def _refused(path: Path, name: str, fact: object) -> UpdateError:
    """Return the error for an invalid file of the package, with git's command to restore it."""
    return UpdateError(
        f"{path / name}: {fact}; restore it: git log -- {name} lists its commits, git checkout "
        f"COMMIT -- {name} takes one"
    )


def read(folder: Path) -> Package:
    """Return the package with the answers that it records."""
    folder = folder.absolute()
    kinds = {"_commit": str, "_src_path": str, "specs": dict, "name": str, "facts": dict}
    try:
        answers = yaml.load((folder / ANSWERS).read_text(encoding="utf-8"), PlainLoader)
        json.dumps(answers, allow_nan=False)
        wrong = [name for name, kind in kinds.items() if not isinstance(answers[name], kind)]
        wrong += [file for file, text in answers["specs"].items() if not isinstance(text, str)]
    except FileNotFoundError:
        raise _refused(folder, ANSWERS, "is missing: onnxop did not make this package") from None
    except KeyError as error:
        raise _refused(folder, ANSWERS, f"has no {error}") from None
    except _UNREADABLE as error:
        raise _refused(folder, ANSWERS, f"cannot be read: {' '.join(str(error).split())}") from None
    if wrong:
        raise _refused(folder, ANSWERS, f"its {wrong[0]} has the wrong type")
    if (source := answers["_src_path"]) != BUNDLE_FILE:
        raise _refused(folder, ANSWERS, f"the package was made from another template, {source}")
    kept = {name: answers[name] for name in ("specs", "name", "facts")}
    return Package(folder, answers["_commit"], kept)


@contextmanager
def versions(package: Package) -> Iterator[Versions]:
    """Provide the versions of the template in the package, with the one that made it."""
    with template.versions() as known:
        try:
            known.fetch(package.folder / BUNDLE)
        except git.GitError as error:
            raise _refused(package.folder, BUNDLE_FILE, f"is not a bundle: {error}") from None
        if package.version not in known.tags():
            fact = f"has no version {package.version}, which {ANSWERS} names"
            raise _refused(package.folder, BUNDLE_FILE, fact)
        yield known


def next_version(package: Package, known: Versions) -> str:
    """Return this onnxop's version. Raise `UpdateError` if the package's is newer."""
    version = known.add_present()
    if Version(version) < Version(package.version):
        raise UpdateError(
            f"{package.folder}: was made by a newer template, {package.version}, than this onnxop "
            f"{__version__} has, {version}; run pip install --upgrade onnxop"
        )
    return version


def made_of(package: Package, known: Versions, *, is_trusted: bool) -> dict[str, File]:
    """Render the package again, by the code of the version that made it. Raise `UpdateError` if that
    code is neither known (a release's or this onnxop's) nor trusted, or fails.
    """
    version = package.version
    if not (is_trusted or known.is_known(version)):
        bundle = package.folder / BUNDLE
        raise UpdateError(
            f"{bundle}: version {version}, tree {known.tags()[version]}, made the package, but is "
            f"neither a release of onnxop nor the version in onnxop {__version__}; its code would run "
            f"with your rights; inspect it: git clone -b {version} {shlex.quote(str(bundle))} template; "
            "and give --trust if you trust it"
        )
    try:
        made = rendered(known, version, package.answers)
    except Exception as error:  # noqa: BLE001 - another version's code may raise anything
        fact = f"its answers fail with template {version} ({error})"
        raise _refused(package.folder, ANSWERS, fact) from None
    if ANSWERS not in made:
        raise _refused(package.folder, BUNDLE_FILE, f"{version} is not a template of onnxop")
    return made


def rendered(known: Versions, version: str, answers: Mapping[str, Any]) -> dict[str, File]:
    """Return the files that a version of the template makes."""
    with tempfile.TemporaryDirectory(prefix="onnxop-rendered-") as name:
        folder = Path(name, "package")
        if known.tags().get(version) == known.present:
            present.render(version, answers, folder)
        else:
            copy(known.bundle(), version, answers, folder)
        return read_all(folder)
