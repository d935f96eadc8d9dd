"""The commands for existing specs and packages: check, update, diff, fetch and ship."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from shlex import quote

from onnxop_runtime.specs.reading import Reading, specs_in, specs_of

from ..spec.source import Readings
from .output import Commands, add_command, add_flag, path, show


def add_arguments(commands: Commands) -> None:
    """Add check, update, diff, fetch and ship."""
    _add_check(commands)
    _add_commands_of_packages(commands)
    _add_ship(commands)


def _add_check(commands: Commands) -> None:
    summary = "check op specs without writing anything"
    examples = "my_add.toml", "--no-run build/my_add"
    check = add_command(commands, "check", _check, summary, *examples)
    check.add_argument(
        "specs",
        nargs="+",
        type=path,
        metavar="SPEC",
        help="an op spec, - for standard input, a folder of specs, or a package",
    )
    add_flag(check, "--no-run", "do not run mappings and gradients on the samples")


def _add_commands_of_packages(commands: Commands) -> None:
    """Add the commands that take the folder of a package: update, diff and fetch."""
    summary = "update a package to this onnxop's template and to its specs, and merge your edits"
    update = add_command(commands, "update", _update, summary, "--dry-run", "build/my_add")
    add_flag(update, "--dry-run", "show the changes, and write nothing")
    summary = "show your edits of a package since it was generated"
    difference = add_command(commands, "diff", _diff, summary, "", "build/my_add")
    summary = "add this onnxop's template to a package, for copier update"
    fetch = add_command(commands, "fetch", _fetch, summary, "", "build/my_add")
    for command in (update, difference, fetch):
        command.add_argument(
            "package",
            type=path,
            nargs="?",
            default=Path(),
            metavar="PACKAGE",
            help="the package's folder; by default the current one",
        )


def _add_ship(commands: Commands) -> None:
    summary = (
        "copy a model and the libraries that compute its nodes into a folder, with code to load "
        "them"
    )
    example = "model.onnx shipped --min-onnxruntime 1.20 --max-glibc 2.28"
    ship = add_command(commands, "ship", _ship, summary, example, "--verify shipped")
    ship.add_argument(
        "model", type=path, nargs="?", metavar="MODEL", help="the ONNX file, as export() wrote it"
    )
    ship.add_argument("folder", type=path, nargs="?", metavar="FOLDER", help="the folder to make")
    ship.add_argument(
        "--verify",
        type=path,
        metavar="FOLDER",
        help="count the nodes of a shipped model that its libraries compute here; exit status 1 "
        "if not all",
    )
    ship.add_argument(
        "--min-onnxruntime",
        type=_release,
        metavar="RELEASE",
        dest="release",
        help="the oldest ONNX Runtime to support, such as 1.20; a node that it cannot run is an "
        "error",
    )
    ship.add_argument(
        "--max-glibc",
        type=_glibc,
        metavar="RELEASE",
        dest="glibc",
        help="the glibc of the server, such as 2.28 (ldd --version); a library that needs a later "
        "one is an error",
    )
    ship.add_argument(
        "--parser",
        choices=["tensorrt"],
        help="check that TensorRT's ONNX parser accepts the model, by the parser of TensorRT for "
        "RTX (pip install tensorrt-rtx), which needs no GPU; a node that it refuses is an "
        "error",
    )
    add_flag(
        ship, "--no-strip", "keep paths and source lines that the exporter wrote into the model"
    )
    ship.set_defaults(usage_error=ship.error)


def _check(options: argparse.Namespace) -> int:
    """Check each spec, and the specs of one folder against each other."""
    from ..errors import InvalidSpecError
    from ..spec.source import read_specs

    readings = read_specs(options.specs)  # its faults are told without torch and onnx
    from ..check.load import check_package, notes
    from ..spec.package import Purpose

    groups: dict[Path, list[tuple[Path, Reading]]] = {}
    for file, reading in readings:
        groups.setdefault(file.parent.absolute(), []).append((file, reading))
    packages = {spec.parent.absolute() for f in options.specs if f.is_dir() for spec in specs_of(f)}
    status = 0
    for folder, group in groups.items():
        # `onnxop new --name` may name a package of several specs, or of a folder.
        name = "my_ops" if len(group) > 1 or folder in packages else ""
        purpose = Purpose.CURRENT if _is_whole(folder, group) else Purpose.PART_OF_CURRENT
        try:
            package_spec = check_package(group, name, purpose, is_run=not options.no_run)
        except InvalidSpecError as error:
            show(error, sys.stderr)
            status = 1
            continue
        for (file, _), spec in zip(group, package_spec.ops, strict=True):
            show(f"{file}: {spec.declared_op if spec.schema.writes else spec.schema.title} is fine")
            for note in notes(spec):
                show(f"{file}: {note}")
    return status


def _is_whole(folder: Path, readings: Readings) -> bool:
    """Return whether a package of these specs has no others: false for a part of a package's
    ``ops/``.
    """
    if not (folder.parent / ".copier-answers.yml").exists():
        return True
    files = {file.absolute() for file, _ in readings}
    return files == {file.absolute() for file in specs_in(folder)}


_CONFLICTS = 3
"""The exit status of an update with conflicts to resolve by hand."""


def _update(options: argparse.Namespace) -> int:
    """Update a package, and print the changes. Return `_CONFLICTS` if there are any."""
    from ..package.update import update

    diff = update(options.package, is_dry=options.dry_run)
    if diff.is_new_version:
        print(f"Template {diff.package.version} -> {diff.version}")
    for name, change in diff.changed_specs.items():
        print(f"{name} {change}")
    if not diff.files:
        print("Nothing to do: the package is up to date")
    for name in sorted({*diff.files, *diff.conflicts}):
        verb = "add" if name not in diff.before else "change" if diff.files.get(name) else "remove"
        print(f"  {'conflict in' if name in diff.conflicts else verb} {name}")
    for note in diff.notes:
        print(f"Note: {note}")
    if options.dry_run and diff.files:
        print("Nothing was written: this was a dry run")
    elif diff.files:
        conflicts = "resolve the conflicts, git add them, " if diff.conflicts else ""
        print(f"Next: look at git diff, {conflicts}build, test, commit")
        added = diff.files.keys() - diff.before.keys()
        print(f"To undo it: {_undo(options.package, added, diff.uncommitted)}")
    return _CONFLICTS if diff.conflicts else 0


def _undo(package: Path, added: Iterable[str], uncommitted: Iterable[str]) -> str:
    """Return the shell command that undoes an update, and keeps specs and kernels that were not
    committed.
    """
    git = "git" if package.absolute() == Path.cwd() else f"git -C {quote(str(package))}"
    kept = [":!ops/*.toml", *(f":(exclude,literal){name}" for name in uncommitted)]
    paths = " ".join([".", *map(quote, kept)])
    # Reset the index first: it may have conflicts in files that HEAD lacks.
    undo = f"{git} reset -q -- {paths} && {git} checkout HEAD -- {paths}"
    new = " ".join(map(quote, sorted(added)))
    return f"{undo} && {git} clean -fd -- {new}" if new else undo


def _diff(options: argparse.Namespace) -> None:
    from ..package.update import difference

    print(difference(options.package), end="")


def _fetch(options: argparse.Namespace) -> None:
    from ..package.update import fetch

    version, is_changed = fetch(options.package)
    bundle = options.package / ".onnxop" / "template.bundle"
    if is_changed:
        print(f"{bundle} has version {version}")
        print("Next: commit it, and run copier update --defaults")
    else:
        print(f"Nothing to do: {bundle} has version {version} already")


def _ship(options: argparse.Namespace) -> int:
    if options.verify is not None:
        return _verify(options)
    if options.folder is None:
        options.usage_error("give MODEL and FOLDER, or --verify FOLDER")
    from ..package.ship import ship
    from ..package.shipped.elf import text_of

    shipped = ship(
        options.model,
        options.folder,
        release=options.release,
        glibc=options.glibc,
        is_parsed=options.parser is not None,
        is_stripped=not options.no_strip,
    )
    for name in shipped.files:
        print(f"  {options.folder / name}")
    for name, count in shipped.native.items():
        nodes = "1 node" if count == 1 else f"{count} nodes"
        print(f"{name} computes {nodes} of {options.model.name}")
    for node in shipped.functions:
        print(f"{node} runs as its function body")
    print(f"{options.model.name} runs in ONNX Runtime 1.{shipped.release} and later")
    if shipped.parser:
        print(f"{options.model.name} is accepted by the parser of {shipped.parser}")
    if needed := shipped.platform:
        glibc = f"glibc {text_of(needed.glibc)} or later"
        print(f"The libraries run on Linux for {needed.machine}, with {glibc}")
    return 0


def _verify(options: argparse.Namespace) -> int:
    """Print how many nodes of a shipped model are native. Return 1 if not all are."""
    if options.model is not None:
        options.usage_error("--verify takes no MODEL; give it the folder that ship wrote")
    if options.parser or options.release or options.glibc:
        options.usage_error("--verify takes no --parser, --min-onnxruntime and --max-glibc")
    from ..package.shipped.server import verify

    served = verify(options.verify)
    print(served)
    return 0 if served.is_native else 1


def _glibc(text: str) -> tuple[int, ...]:
    """Return a release of glibc: (2, 28) for 2.28."""
    major, _, minor = text.partition(".")
    if major != "2" or not minor.isascii() or not minor.isdecimal():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a release of glibc; write one, such as 2.28"
        )
    return 2, int(minor)


def _release(text: str) -> int:
    """Return the minor version of a release of ONNX Runtime: 20 for 1.20 or 1.20.1."""
    from ..check.runtimes import OLDEST

    major, minor, *_ = [*text.split("."), ""]
    if major != "1" or not minor.isdecimal() or int(minor) < OLDEST:
        fact = f"{text!r} is not a release of ONNX Runtime since 1.{OLDEST}, the oldest tested"
        raise argparse.ArgumentTypeError(f"{fact}; write one, such as 1.20")
    return int(minor)
