"""What a package was made from: its answers, the versions it carries, and made once more."""

from __future__ import annotations

import errno
import json
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .. import __version__
from ..errors import OnnxopError
from ..spec.kernel_table import was_given
from . import git, merge, present, template
from .merge import Tree
from .render import copy
from .template import ANSWERS, BUNDLE, Versions, version_of

SPECS = "ops"
BUNDLE_FILE = BUNDLE.as_posix()


class UpdateError(OnnxopError):
    """The package cannot be updated as it is; nothing was touched."""


class UnmergedError(UpdateError):
    """Conflicts of an earlier update, or of a merge, are not resolved yet."""

    status = 3


@dataclass(frozen=True)
class Package:
    """A generated package in a git repository.

    ``version`` is the tag of the template that made it, from ``answers``, which are its spec and
    the facts.
    """

    folder: Path
    version: str
    answers: dict[str, Any]


class PlainLoader(yaml.SafeLoader):
    """YAML without aliases, of which a small text can make what no memory holds."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("holds an alias")
        return super().compose_node(parent, index)


def read(folder: Path) -> Package:
    """What the package keeps of its making."""
    path = folder / ANSWERS

    def refused(fact: str) -> UpdateError:
        return UpdateError(f"{path}: {fact}; {git.restoring(folder, ANSWERS)}")

    try:
        answers = yaml.load(path.read_text(encoding="utf-8"), PlainLoader)
        json.dumps(answers, allow_nan=False)
    except FileNotFoundError:
        raise refused("is missing, and with it what the package was made from") from None
    except (OSError, ValueError, TypeError, RecursionError, yaml.YAMLError) as error:
        fact = " ".join(str(error).split())
        raise refused(f"cannot be read: {fact}") from None
    kinds = {"_commit": str, "_src_path": str, "specs": dict, "name": str, "facts": dict}
    if not isinstance(answers, dict):
        raise refused("holds no answers")
    source = answers.get("_src_path")
    if isinstance(source, str) and source != BUNDLE_FILE:
        raise refused(
            f"the package was made from another template, {source}; update it with that one, or, "
            "if the line was changed by hand"
        )
    for name, kind in kinds.items():
        if not isinstance(answers.get(name), kind):
            what = "text" if kind is str else "table"
            raise refused(f"{name} is missing or is no {what}")
    if not all(isinstance(word, str) for pair in answers["specs"].items() for word in pair):
        raise refused("specs holds what is no text")
    kept = {name: answers[name] for name in ("specs", "name", "facts")}
    return Package(folder, answers["_commit"], kept)


@contextmanager
def versions(package: Package) -> Iterator[Versions]:
    """The versions that the package carries, the one it was made from among them."""
    bundle = package.folder / BUNDLE
    if not bundle.is_file():
        raise UpdateError(
            f"{bundle}: is missing, and with it the template's version {package.version}; "
            f"{git.restoring(package.folder, BUNDLE_FILE)}"
        )
    with template.versions(bundle) as known:
        if package.version not in known.tags():
            raise UpdateError(
                f"{bundle}: has no version {package.version}, which {ANSWERS} says the package was "
                f"made from; {git.restoring(package.folder, ANSWERS, BUNDLE_FILE)}"
            )
        yield known


@contextmanager
def saved(known: Versions) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="onnxop-bundle-") as name:
        bundle = Path(name, BUNDLE.name)
        known.write(bundle)
        yield bundle


def next_version(package: Package, known: Versions) -> str:
    """The version to update to: this onnxop's, unless the package's is newer."""
    version = known.add_present()
    if version_of(version) < version_of(package.version):
        raise UpdateError(
            f"{package.folder}: was made by a newer template, {package.version}, than this onnxop "
            f"{__version__} has, {version}; run pip install --upgrade onnxop"
        )
    return version


def check_may_run(package: Package, known: Versions, *, is_trusted: bool) -> None:
    """Raises `UpdateError` where the code that made the package is nobody's that is known here."""
    tree = known.tags()[package.version]
    if is_trusted or known.is_known(tree):
        return
    bundle = package.folder / BUNDLE
    raise UpdateError(
        f"{bundle}: the package was made by its version {package.version}, tree {tree}, which is "
        f"neither a release of onnxop nor what onnxop {__version__} has here; to make the package "
        "as it was, the code in there would run with your rights; look at it: git clone -b "
        f"{package.version} {shlex.quote(str(bundle))} template; and give --trust if you trust it"
    )


def made_of(package: Package, known: Versions, bundle: Path) -> Tree:
    """The package as it was generated."""
    try:
        made = rendered(known, bundle, package.version, package.answers)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise _no_answers(package, error) from None
    except Exception as error:  # noqa: BLE001 - the code of another version, which may raise any
        raise _no_answers(package, error) from None
    if ANSWERS not in made:
        raise UpdateError(
            f"{package.folder / BUNDLE}: its version {package.version} is no template of onnxop's; "
            f"{git.restoring(package.folder, BUNDLE_FILE)}"
        )
    return made


def _no_answers(package: Package, error: Exception) -> UpdateError:
    return UpdateError(
        f"{package.folder / ANSWERS}: holds no answers that made this package; "
        f"{git.restoring(package.folder, ANSWERS)}\n{error}"
    )


def rendered(known: Versions, bundle: Path, version: str, answers: Mapping[str, Any]) -> Tree:
    """The files that a version of the template, which the bundle has, too, makes."""
    with tempfile.TemporaryDirectory(prefix="onnxop-rendered-") as name:
        folder = Path(name, "package")
        if known.tags().get(version) == known.present:
            present.render(version, answers, folder)
        else:
            copy(bundle, version, answers, folder)
        return merge.read_all(folder)


def came_with_spec(package: Package, name: str) -> bool:
    return bool(package.answers["facts"].get(was_given(Path(name).name)))
