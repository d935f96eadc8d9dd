"""The command line: the only part that prints and exits."""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TextIO

from . import __version__
from . import cli_find as find
from .errors import OnnxopError

if TYPE_CHECKING:
    from .spec.model import PackageSpec

_NEW = "make a package from an op spec"
_EPILOG = """\
exit status: 0 done, 1 the spec, the destination or the build is at fault, 2 wrong usage
"""
_UNREAD = 141  # what a shell says of a program that wrote where nobody reads

_P = ParamSpec("_P")


def _with_output(command: Callable[_P, int]) -> Callable[_P, int]:
    """Whoever reads the output may stop (``| head -1``), and it may have no place to go."""

    @wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> int:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
            try:
                try:
                    return command(*args, **kwargs)
                finally:
                    sys.stdout.flush()
            except BrokenPipeError:
                _end_output(nowhere)
                return _UNREAD
            except OSError as error:
                print(f"{error.filename or 'output'}: {error.strerror}", file=sys.stderr)
                _end_output(nowhere)
                return 1

    return run


def _end_output(nowhere: TextIO) -> None:
    """Python writes once more, as it ends, what is still held back."""
    os.dup2(nowhere.fileno(), sys.stdout.fileno())
    os.dup2(nowhere.fileno(), sys.stderr.fileno())


@_with_output
def main(arguments: Sequence[str] | None = None) -> int:
    """``onnxop``: returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="onnxop",
        description="From an op spec in TOML to a Python package: PyTorch op, ONNX rule, tests.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"onnxop {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_new_arguments(commands.add_parser("new", help=_NEW, description=_NEW))
    check = commands.add_parser("check", help="check op specs without writing anything")
    check.add_argument(
        "specs",
        nargs="+",
        type=_path,
        metavar="SPEC",
        help="an op spec, a folder of them, or a package",
    )
    _add_update_arguments(commands)
    what = "put a model, the libraries that compute its nodes, and how to load them, into a folder"
    ship = commands.add_parser("ship", help=what, description=what)
    ship.add_argument(
        "model", type=_path, metavar="MODEL", help="the ONNX file, as export() wrote it"
    )
    ship.add_argument("folder", type=_path, metavar="FOLDER", help="the folder to make")
    commands.add_parser("schema", help="print the JSON Schema of op specs, for editors")
    find.add_arguments(commands)
    return _run(_parsed(parser, arguments, argparse.Namespace()))


@_with_output
def new(arguments: Sequence[str] | None = None) -> int:
    """``onnxop-new``: the same as ``onnxop new``."""
    parser = argparse.ArgumentParser(
        prog="onnxop-new",
        description="Make a package from an op spec: PyTorch op, ONNX rule, tests.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"onnxop {__version__}")
    _add_new_arguments(parser)
    return _run(_parsed(parser, arguments, argparse.Namespace(command="new")))


def _parsed(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None, known: argparse.Namespace
) -> argparse.Namespace:
    """The options. argparse takes paths that stand in one place; more of them may stand behind."""
    options, others = parser.parse_known_args(arguments, known)
    others = [other for other in others if other != "--"]
    if others and (options.command != "new" or any(other.startswith("-") for other in others)):
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    try:
        if others:
            options.paths += map(_path, others)
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument SPEC: {error}")
    if options.command == "new" and (why := _problem_with_new(options)):
        parser.error(why)
    return options


def _problem_with_new(options: argparse.Namespace) -> str:
    """What argparse cannot tell by itself."""
    if not options.sources:
        return "" if options.paths else "the following arguments are required: SPEC, or --from NAME"
    if options.build or options.name:
        return "--from writes a spec, of which onnxop new SPEC --build makes a package"
    if len(options.paths) > 1:
        return "--from takes one place to write to: a .toml file, or a folder"
    if len(options.sources) > 1 and options.paths and options.paths[0].suffix == ".toml":
        return "several --from go into a folder, not into one file"
    return ""


def _path(text: str) -> Path:
    """A path, which an empty text is none of: Python would take it for the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("is empty; give a path, such as . for this folder")
    return Path(text)


def _add_new_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "%(prog)s [-h] [--name NAME] [--build] [--force] SPEC [SPEC ...] [DEST]\n"
        "       %(prog)s [-h] --from NAME [--requires MODULE] [--force] [FILE | FOLDER]"
    )
    parser.add_argument(
        "paths",
        type=_path,
        nargs="*",
        metavar="SPEC",
        help="an op spec, in TOML; several make one package, and so does a folder of them; behind "
        "them DEST, the folder to write, by default ./<package>",
    )
    parser.add_argument("--name", default="", help="the package's name, where no spec gives it")
    parser.add_argument(
        "--from",
        dest="sources",
        action="append",
        default=[],
        metavar="NAME",
        help="write a spec instead: the gallery's, or a starter, of an operator of PyTorch's "
        "(aten::erfinv, torchvision::roi_align) or of an op of ONNX's (onnx:DeformConv)",
    )
    find.add_requires(parser)
    parser.add_argument(
        "--build",
        action="store_true",
        help="build and install the package into this environment and run its tests",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="write into a folder that is not empty; files in the way are kept as <name>.orig",
    )


def _add_update_arguments(commands: Any) -> None:
    """The commands for a package that is there already."""
    what = "bring a package up to this onnxop's template and to its specs; hand edits are merged"
    update = commands.add_parser("update", help=what, description=what)
    update.add_argument(
        "--dry-run", action="store_true", help="say what would change, and change nothing"
    )
    update.add_argument(
        "--restore", action="store_true", help="put back what an interrupted update left"
    )
    what = "show what was changed by hand in a package since it was generated"
    difference = commands.add_parser("diff", help=what, description=what)
    difference.add_argument("--stat", action="store_true", help="show the files alone")
    what = "add this onnxop's template to a package, for the plain command copier update"
    fetch = commands.add_parser("fetch", help=what, description=what)
    for command in (update, difference):
        command.add_argument(
            "--trust",
            action="store_true",
            help="let the package's own template run, though it is no release's; it may do "
            "whatever you may",
        )
    for command in (update, difference, fetch):
        command.add_argument(
            "package",
            type=_path,
            nargs="?",
            default=Path(),
            metavar="PACKAGE",
            help="the package's folder; by default the current one",
        )


def _run(options: argparse.Namespace) -> int:
    # What is imported and read stays until the end, and the collector would look through it all time
    # and again.
    gc.disable()
    try:
        return _run_command(options)
    finally:
        gc.enable()


def _run_command(options: argparse.Namespace) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal cannot show is no error
            stream.reconfigure(errors="backslashreplace")
    try:
        if options.command == "new" and options.sources:
            find.write_specs(options)
        elif options.command == "new":
            _make(options)
        elif options.command == "inspect":
            find.inspect(options)
        elif options.command == "scan":
            return find.scan(options)
        elif options.command == "check":
            return _check(options.specs)
        elif options.command == "update":
            _update(options)
        elif options.command == "diff":
            _diff(options)
        elif options.command == "fetch":
            _fetch(options.package)
        elif options.command == "ship":
            _ship(options.model, options.folder)
        else:
            from .spec.document import json_schema

            print(json.dumps(json_schema(), indent=2))
    except OnnxopError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return 0


def _make(options: argparse.Namespace) -> None:
    from .package.render import check_destination, render
    from .spec.package import load_package
    from .words.facts import Facts, asking

    paths, destination = _split(options.paths)
    if destination is not None and not options.force:
        _check_is_destination(destination)
    with asking(Facts()) as facts:
        spec = load_package(paths, options.name, is_new=True)
    destination = destination or Path(spec.package.name)
    check_destination(destination, force=options.force)
    _note_links(spec, paths)
    _check_namesake(spec, paths[0], is_built=options.build)
    written = render(spec, facts.answers, destination, force=options.force)
    print(f"Wrote {len(written.files)} files to {written.destination}:")
    for file in written.files:
        print(f"  {file}")
    for file in written.kept:
        print(f"Kept what was there before as {file}")
    for file in written.left:
        print(f"Left {file} as it is: it is yours")
    if options.build:
        _build(destination, unwritten=spec.unwritten)
    else:
        # pip takes a bare word for the name of a package to fetch
        path = shlex.quote(str(destination) if destination.is_absolute() else f"./{destination}")
        print("Next:")
        print(f"  pip install {path}")
        print(f"  cd {path} && pytest")


def _split(paths: Sequence[Path]) -> tuple[list[Path], Path | None]:
    """The specs, or the folder of them, and the folder to write, which stands behind them."""
    first, *others = paths
    if first.is_dir() and not others:
        return [first], None
    *specs, last = paths
    if specs and (last.suffix != ".toml" or last.is_dir()):
        return specs, last
    return list(paths), None


def _check_is_destination(path: Path) -> None:
    """Says so where specs stand last, in the place of the folder to write."""
    from .errors import DestinationError

    fact = f"{path}: stands behind the specs, and so is the folder to write, but it"
    if path.is_file():
        raise DestinationError(
            f"{fact} is no directory; give specs as .toml files, and that folder last"
        )
    specs = [file.name for file in path.glob("*.toml") if file.name != "pyproject.toml"]
    if specs:
        raise DestinationError(
            f"{fact} holds specs itself, {min(specs)} for one; give that folder last, or --force "
            "to write into this one"
        )


def _note_links(spec: PackageSpec, paths: Sequence[Path]) -> None:
    """Says which kernels are links that lead away from their specs."""
    from .kernel.kernels import beside

    for path in paths:
        folder = path if path.is_dir() else path.parent
        own = (folder.resolve(), folder.resolve() / "ops")
        for name in spec.given_files:
            place = beside(Path(name).name, folder)
            if place and (behind := place.resolve()).parent not in own:
                print(f"Note: {place} is a link to {behind}; a copy of that goes into the package")


def _check_namesake(spec: PackageSpec, path: Path, *, is_built: bool) -> None:
    from .errors import BuildError
    from .package.build import namesake

    other = namesake(spec.package.name, [op.entry for op in spec.ops])
    if other is None:
        return
    fact = f"{path}: installing {spec.package.name} would replace {other}"
    remedy = 'write another name under [package], as in name = "my_ops", or uninstall that one'
    if is_built:
        raise BuildError(f"{fact}; {remedy}")
    print(f"Note: {fact}; {remedy}", file=sys.stderr)


def _build(package: Path, *, unwritten: Sequence[str]) -> None:
    from .package import build

    live = sys.stdout.isatty()

    def progress(seconds: float) -> None:
        if live:
            print(f"\rBuilding and installing {package} ... {seconds:.0f} s", end="", flush=True)
        elif round(seconds) % 5 == 0:
            print(f"  {seconds:.0f} s", flush=True)

    print(f"Building and installing {package} ...", end="" if live else "\n", flush=True)
    try:
        build.install(package, progress)
    finally:
        if live:
            print()
    print(
        "Running its tests: PyTorch against ONNX Runtime, exporter by opset by sample", flush=True
    )
    missing = [
        name
        for name in unwritten
        if "not_implemented(kName)" in (package / name).read_text("utf-8")
    ]
    for name in missing:
        print(f"{package / name} is still to be written, and its tests stop at that:")
    build.test(package, up_to_first_failure=bool(missing))


def _check(paths: Sequence[Path]) -> int:
    """Specs are checked by themselves; those of one folder are held against each other, too."""
    from .errors import SpecError
    from .spec.load import load
    from .spec.package import files, load_package

    groups: dict[Path, list[Path]] = {}
    for path in paths:
        groups.setdefault((path if path.is_dir() else path.parent).absolute(), []).append(path)
    status = 0
    for given in groups.values():
        try:
            if len(given) > 1 or given[0].is_dir():  # whose name --name may still give
                specs = load_package(given, "my_ops", is_new=False).ops
            else:
                specs = (load(given[0]),)
        except SpecError as error:
            print(error, file=sys.stderr)
            status = 1
        else:
            for file, spec in zip(files(given), specs, strict=True):
                print(f"{file}: {spec.schema.title} is fine")
    return status


def _update(options: argparse.Namespace) -> None:
    from .package.update import restore, update

    if options.restore:
        restored = restore(options.package)
        for name in restored.names:
            print(f"Restored {name}")
        for name in restored.kept:
            print(f"Kept what was changed since as {name}")
        whole = "Every file of the package is as it was before the update"
        print(whole if restored.names else "No update was interrupted: nothing to do")
        return
    done = update(options.package, is_dry=options.dry_run, is_trusted=options.trust)
    if done.is_new_version:
        print(f"Template {done.package.version} -> {done.version}")
    for name, what in done.changed_specs.items():
        print(f"{name} {what}")
    if not done.files:
        print("Nothing to do: the package is up to date")
    for name in sorted({*done.files, *done.conflicts}):
        file = done.files.get(name)
        what = "add" if name not in done.before else "change" if file is not None else "remove"
        what = "conflict in" if name in done.conflicts else what
        print(f"  {what} {name}")
    for note in done.notes:
        print(f"Note: {note}")
    if options.dry_run and done.files:
        print("Nothing was written: this was a dry run")
    elif done.conflicts:
        print("Next: mend the files with conflicts (git diff shows them), build, test, commit")
    elif done.files:
        print("Next: look at git diff, build, test, commit")


def _diff(options: argparse.Namespace) -> None:
    from .package.update import difference

    told = difference(
        options.package,
        is_colored=sys.stdout.isatty(),
        is_summary=options.stat,
        is_trusted=options.trust,
    )
    print(told, end="")


def _fetch(package: Path) -> None:
    from .package.update import fetch

    version = fetch(package)
    print(f"{package / '.onnxop' / 'template.bundle'} has version {version}")
    print("Next: commit it, and run copier update --trust")


def _ship(model: Path, folder: Path) -> None:
    from .package.ship import ship

    shipped = ship(model, folder)
    for name in shipped.files:
        print(f"  {folder / name}")
    for name, count in shipped.native.items():
        print(f"{name} computes {count} node{'s' * (count != 1)} of {model.name}")
    for node in shipped.functions:
        print(f"{node} runs its function")
