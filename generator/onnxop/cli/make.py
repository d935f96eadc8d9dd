"""``onnxop new``: specs → a package, or with ``--from`` a spec."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BuildError, DestinationError
from . import find
from .arguments import path

if TYPE_CHECKING:
    from ..spec.model import PackageSpec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command, to argparse."""
    parser.set_defaults(run=run, parsed=_parsed)
    parser.usage = (
        "%(prog)s [-h] [--name NAME] [--build] [--force] SPEC [SPEC ...] [DEST]\n"
        "       %(prog)s [-h] --from NAME [--requires MODULE] [--force] [FILE | FOLDER]"
    )
    parser.add_argument(
        "paths",
        type=path,
        nargs="*",
        metavar="SPEC",
        help="an op spec, in TOML, or - for standard input; several make one package, and so does a folder of them; behind "
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


def _parsed(
    parser: argparse.ArgumentParser, options: argparse.Namespace, others: list[str]
) -> None:
    """What argparse cannot tell by itself: it takes paths that stand in one place, and here ``others``
    may stand behind options.
    """
    try:
        options.paths += map(path, others)
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument SPEC: {error}")
    if why := _problem_with(options):
        parser.error(why)


def _problem_with(options: argparse.Namespace) -> str:
    if not options.sources:
        return "" if options.paths else "the following arguments are required: SPEC, or --from NAME"
    if options.build or options.name:
        return "--from writes a spec, of which onnxop new SPEC --build makes a package"
    if len(options.paths) > 1:
        return "--from takes one place to write to: a .toml file, or a folder"
    if len(options.sources) > 1 and options.paths and options.paths[0].suffix == ".toml":
        return "several --from go into a folder, not into one file"
    return ""


def run(options: argparse.Namespace) -> None:
    """Writes a package of specs, or with ``--from`` specs."""
    if options.sources:
        find.write_specs(options)
    else:
        _make(options)


def _make(options: argparse.Namespace) -> None:
    from ..check.load import load_package
    from ..package.render import check_destination, render
    from ..words.facts import Facts, asking

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
        folder = shlex.quote(str(destination) if destination.is_absolute() else f"./{destination}")
        print("Next:")
        print(f"  pip install {folder}")
        print(f"  cd {folder} && pytest")


def _split(paths: Sequence[Path]) -> tuple[list[Path], Path | None]:
    """The specs, or the folder of them, and the folder to write, which stands behind them."""
    from ..spec.source import STDIN

    first, *others = paths
    if first.is_dir() and not others:
        return [first], None
    *specs, last = paths
    if specs and last != STDIN and (last.suffix != ".toml" or last.is_dir()):
        return specs, last
    return list(paths), None


def _check_is_destination(last: Path) -> None:
    """Says so where specs stand last, in the place of the folder to write."""
    from ..spec.package import specs_in

    fact = f"{last}: stands behind the specs, and so is the folder to write, but it"
    if last.is_file():
        raise DestinationError(
            f"{fact} is no directory; give specs as .toml files, and that folder last"
        )
    if specs := specs_in(last):
        raise DestinationError(
            f"{fact} holds specs itself, {specs[0].name} for one; give that folder last, or --force "
            "to write into this one"
        )


def _note_links(spec: PackageSpec, paths: Sequence[Path]) -> None:
    """Says which kernels are links that lead away from their specs."""
    from ..spec.kernel_table import beside

    for given in paths:
        folder = given if given.is_dir() else given.parent
        own = (folder.resolve(), folder.resolve() / "ops")
        for name in spec.given_files:
            place = beside(Path(name).name, folder)
            if place and (behind := place.resolve()).parent not in own:
                print(f"Note: {place} is a link to {behind}; a copy of that goes into the package")


def _check_namesake(spec: PackageSpec, given: Path, *, is_built: bool) -> None:
    from ..package.build import namesake

    other = namesake(spec.package.name, [op.entry for op in spec.ops])
    if other is None:
        return
    fact = f"{given}: installing {spec.package.name} would replace {other}"
    remedy = 'write another name under [package], as in name = "my_ops", or uninstall that one'
    if is_built:
        raise BuildError(f"{fact}; {remedy}")
    print(f"Note: {fact}; {remedy}", file=sys.stderr)


def _build(package: Path, *, unwritten: Sequence[str]) -> None:
    from ..package import build

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
