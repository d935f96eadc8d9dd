"""The commands for specs and packages that are there: check, update, diff, fetch and ship."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from shlex import quote
from typing import Any

from .output import add_flag, described, path, show


def add_arguments(commands: Any) -> None:
    """The commands, to argparse."""
    what = "check op specs without writing anything"
    examples = "my_add.toml", "--no-run build/my_add"
    check = commands.add_parser("check", help=what, **described(what, *examples))
    check.add_argument(
        "specs",
        nargs="+",
        type=path,
        metavar="SPEC",
        help="an op spec, - for standard input, a folder of specs, or a package",
    )
    what = "leave out the values that mappings and gradients give of the samples"
    add_flag(check, "--no-run", what)
    check.set_defaults(run=_check)
    what = "bring a package up to this onnxop's template and to its specs; hand edits are merged"
    examples = "--dry-run", "build/my_add"
    update = commands.add_parser("update", help=what, **described(what, *examples))
    add_flag(update, "--dry-run", "say what would change, and change nothing")
    update.set_defaults(run=_update)
    what = "show what was changed by hand in a package since it was generated"
    examples = "", "build/my_add"
    difference = commands.add_parser("diff", help=what, **described(what, *examples))
    difference.set_defaults(run=_diff)
    what = "add this onnxop's template to a package, for the plain command copier update"
    fetch = commands.add_parser("fetch", help=what, **described(what, *examples))
    fetch.set_defaults(run=_fetch)
    what = (
        "let the package's own template run, though it is no release's; it may do whatever you may"
    )
    for command in (update, difference):
        add_flag(command, "--trust", what)
    for command in (update, difference, fetch):
        command.add_argument(
            "package",
            type=path,
            nargs="?",
            default=Path(),
            metavar="PACKAGE",
            help="the package's folder; by default the current one",
        )
    what = "put a model, the libraries that compute its nodes, and how to load them, into a folder"
    examples = "model.onnx shipped", "model.onnx shipped --min-onnxruntime 1.20"
    ship = commands.add_parser("ship", help=what, **described(what, *examples))
    ship.add_argument(
        "model", type=path, metavar="MODEL", help="the ONNX file, as export() wrote it"
    )
    ship.add_argument("folder", type=path, metavar="FOLDER", help="the folder to make")
    ship.add_argument(
        "--min-onnxruntime",
        type=_release,
        metavar="RELEASE",
        dest="release",
        help="the oldest ONNX Runtime that must run it, such as 1.20; what it does not run is named",
    )
    ship.set_defaults(run=_ship)


def _check(options: argparse.Namespace) -> int:
    """Specs are checked by themselves; those of one folder are held against each other, too."""
    from ..check.load import load, load_package, notes
    from ..errors import SpecError
    from ..spec.package import files

    groups: dict[Path, list[Path]] = {}
    for spec in options.specs:
        groups.setdefault((spec if spec.is_dir() else spec.parent).absolute(), []).append(spec)
    status = 0
    for given in groups.values():
        try:
            if len(given) > 1 or given[0].is_dir():  # whose name --name may still give
                specs = load_package(given, "my_ops", is_new=False, is_run=not options.no_run).ops
            else:
                specs = (load(given[0], is_run=not options.no_run),)
        except SpecError as error:
            show(error, sys.stderr)
            status = 1
        else:
            for file, spec in zip(files(given), specs, strict=True):
                show(f"{file}: {spec.schema.title} is fine")
                for note in notes(spec):
                    show(f"{file}: onnx.mapping: {note}")
    return status


_CONFLICTS = 3
"""The exit status of an update that leaves, or would leave, something to mend by hand."""


def _update(options: argparse.Namespace) -> int:
    """Returns `_CONFLICTS` where there is one."""
    from ..package.update import update

    done = update(options.package, is_dry=options.dry_run, is_trusted=options.trust)
    if done.is_new_version:
        print(f"Template {done.package.version} -> {done.version}")
    for name, what in done.changed_specs.items():
        print(f"{name} {what}")
    if not done.files:
        print("Nothing to do: the package is up to date")
    for name in sorted({*done.files, *done.conflicts}):
        what = "add" if name not in done.before else "change" if done.files.get(name) else "remove"
        print(f"  {'conflict in' if name in done.conflicts else what} {name}")
    for note in done.notes:
        print(f"Note: {note}")
    if options.dry_run and done.files:
        print("Nothing was written: this was a dry run")
    elif done.files:
        conflicts = "mend the conflicts, git add them, " * bool(done.conflicts)
        print(f"Next: look at git diff, {conflicts}build, test, commit")
        print(f"To undo it: {_undo(options.package, done.files.keys() - done.before.keys())}")
    return _CONFLICTS if done.conflicts else 0


def _undo(package: Path, added: Iterable[str]) -> str:
    """Return the command that undoes an update, from here, and touches nothing that was not committed before."""
    git = "git" if package.absolute() == Path.cwd() else f"git -C {quote(str(package))}"
    # The index first, which may hold conflicts of files that HEAD has not.
    undo = f"{git} reset -q -- . ':!ops/*.toml' && {git} checkout HEAD -- . ':!ops/*.toml'"
    new = " ".join(map(quote, sorted(added)))
    return f"{undo} && {git} clean -fd -- {new}" if new else undo


def _diff(options: argparse.Namespace) -> None:
    from ..package.update import difference

    print(difference(options.package, is_trusted=options.trust), end="")


def _fetch(options: argparse.Namespace) -> None:
    from ..package.update import fetch

    version = fetch(options.package)
    print(f"{options.package / '.onnxop' / 'template.bundle'} has version {version}")
    print("Next: commit it, and run copier update --trust")


def _ship(options: argparse.Namespace) -> None:
    from ..package.ship import ship

    shipped = ship(options.model, options.folder, release=options.release)
    for name in shipped.files:
        print(f"  {options.folder / name}")
    for name, count in shipped.native.items():
        print(f"{name} computes {count} node{'s' * (count != 1)} of {options.model.name}")
    for node in shipped.functions:
        print(f"{node} runs its function")
    print(f"{options.model.name} runs in ONNX Runtime 1.{shipped.release} and later")


def _release(text: str) -> int:
    """Return the minor release of ONNX Runtime, 20 of 1.20 or 1.20.1."""
    from ..check.runtimes import OLDEST

    major, minor, *_ = [*text.split("."), ""]
    if major != "1" or not minor.isdecimal() or int(minor) < OLDEST:
        fact = f"{text!r} is no release of ONNX Runtime since 1.{OLDEST}, the first that was tried"
        raise argparse.ArgumentTypeError(f"{fact}; write 1.20, say")
    return int(minor)
