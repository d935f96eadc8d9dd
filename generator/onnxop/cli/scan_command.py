"""``onnxop scan``: a model → what fails in its exports, remedies, and with --build a package."""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnxop_runtime.specs import names

from ..errors import DestinationError, OnnxopError
from .output import Commands, add_command, add_flag, add_requires, path, progress, show
from .spec_files import ORIGINS, write_spec

if TYPE_CHECKING:
    from ..scan.model.exports import Export
    from ..scan.model.target import Target
    from ..scan.pages.page import ScanPrinter
    from ..scan.remedies.packaged import BuiltPackage
    from ..scan.remedies.remedy_search import Specs
    from ..scan.report.report import Report


def add_arguments(commands: Commands) -> None:
    """Add ``onnxop scan``."""
    summary = (
        "export a model, and each of its ops alone, with both exporters, and suggest the shortest "
        "remedy for each op whose export fails or is wrong; this runs the model's code"
    )
    brief = "find the ops of a model that do not export right, and suggest remedies"
    examples = "models.py:build", "models.py:build --write specs --build"
    scan = add_command(commands, "scan", _run_scan, summary, *examples, brief=brief)
    scan.add_argument(
        "model",
        metavar="MODEL",
        help="package.module:function or file.py:function, where the function returns (model, "
        "args) or (model, args, kwargs), and importing the module runs its code; or a .pt2 file",
    )
    scan.add_argument(
        "--opset",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="the opset version to export, by default 20; may be repeated",
    )
    scan.add_argument(
        "--exporter",
        choices=["dynamo", "TorchScript"],
        action="append",
        default=[],
        help="try this exporter only; both by default",
    )
    scan.add_argument(
        "--write", type=path, metavar="DIR", help="write the specs that help; keep existing ones"
    )
    add_flag(scan, "--build", "make one package of the specs, install it, and export again with it")
    add_flag(scan, "--static", "do not try other values and sizes of the inputs")
    scan.add_argument("--name", default="", help="the package's name, by default <module>_ops")
    scan.add_argument(
        "--time-limit",
        type=_seconds,
        default=0.0,
        metavar="SECONDS",
        help="stop after this time, that of imports included, and report what is known then, as "
        "after SIGINT or SIGTERM; no limit by default",
    )
    add_flag(scan, "--json", "print JSON, for programs")
    add_flag(scan, "--trust", "load a .pt2 file; its content can run any code as you")
    add_requires(scan)


def _seconds(text: str) -> float:
    """Return the text as a positive number of seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0; write 60")
    return seconds


def _run_scan(options: argparse.Namespace) -> int:
    """Print the report of a model. Return 1 if no requested export writes a right file, or if the
    package cannot be built.
    """
    begin = time.monotonic()
    from ..scan import stopping  # without PyTorch, whose import the time limit may end

    _check_options(options)
    with progress() as tell, stopping.raising(options.time_limit, begin):
        try:
            tell("importing PyTorch")
            plan = _plan(options, tell)
        except stopping.Stopped as stopped:
            stopping.end()
            return _print_end_unloaded(options, str(stopped))
        report, specs = _scan(options, plan, tell)
    package = _write_and_build(options, plan, report, specs)
    _print_end(options, plan, report, package)
    if report.build_failure:
        return OnnxopError.status
    built = package.built
    is_built_right = built is not None and any(out.is_right for out in built.whole.values())
    return 0 if is_built_right or report.can_be_right else 1


@dataclass(frozen=True)
class _Plan:
    """What to scan, and what to make of it.

    Attributes:
        target: the model.
        exports: the exports to try.
        notes: what to tell of others.
        printer: shows what is known meanwhile; None if JSON is wanted.
        folder: the folder of specs; None if none is wanted.
        own_specs: the user's specs, by operator.
        name: the name of a package of them.
    """

    target: Target
    exports: Sequence[Export]
    notes: Sequence[str]
    printer: ScanPrinter | None
    folder: Path | None
    own_specs: Mapping[str, Path]
    name: str


@dataclass(frozen=True)
class _PackageResult:
    """What came of a package: the files that were ``written``, each with a description; the package
    that was ``built``; or why none was.
    """

    written: Mapping[str, str]
    built: BuiltPackage | None
    why_none: str


def _plan(options: argparse.Namespace, tell: Callable[[str], None]) -> _Plan:
    """Load the model, and return what to do. Raises OnnxopError."""
    from ..package.build import check_can_build
    from ..scan import scan as scanning
    from ..scan.model import target as targets
    from ..scan.pages import page
    from ..scan.remedies import spec_folder

    exporters = options.exporter or ["dynamo", "TorchScript"]
    wanted, notes = scanning.supported_exports(exporters, options.opset or [20])
    if not wanted:
        raise OnnxopError("\n".join([*notes, "No export is left to try; write another --opset."]))
    if options.build:
        check_can_build()
    tell("loading the model")
    target = targets.load(options.model, options.requires, is_trusted=options.trust)
    folder = options.write or (Path(f"{target.package}_specs") if options.build else None)
    own_specs = spec_folder.own_specs(folder)
    name = options.name or spec_folder.package_of(own_specs.values()) or target.package
    if options.build and folder is not None:
        spec_folder.check_package_name(name, folder / name)
    printer = None if options.json else page.ScanPrinter(show)
    return _Plan(target, wanted, notes, printer, folder, own_specs, name)


def _print_end_unloaded(options: argparse.Namespace, stopped: str) -> int:
    """Print the report of a scan that was stopped before the model was loaded."""
    from ..scan.pages import unloaded

    if options.json:
        print(json.dumps(unloaded.data(options.model, stopped), indent=2))
    else:
        show("\n".join(unloaded.lines(stopped)))
    return 1


def _scan(
    options: argparse.Namespace, plan: _Plan, tell: Callable[[str], None]
) -> tuple[Report, Specs]:
    """Scan the model, and look for remedies, until a signal or the time limit ends this. Return what
    is known.
    """
    from ..scan import scan as scanning
    from ..scan.remedies import remedies
    from ..scan.report.cause import Note

    report = scanning.scan_model(
        plan.target, plan.exports, tell, is_static=options.static, observer=plan.printer
    )
    specs = remedies.find_remedies(report, plan.own_specs, tell, plan.target.requires)
    report.notes[:0] = map(Note, plan.notes)
    return report, specs


def _write_and_build(
    options: argparse.Namespace, plan: _Plan, report: Report, specs: Specs
) -> _PackageResult:
    """Show what is known. Write the specs, and build the package of them, if these are wanted. Add to
    the report why it cannot be built, or what its export keeps.
    """
    from ..scan.remedies import packaged
    from ..scan.report.cause import Note

    if plan.printer is not None:
        plan.printer.show_report(report)
    written: dict[str, str] = {}
    if plan.folder is None:
        return _PackageResult(written, None, "")
    try:
        for file, description in _write_missing(plan.folder, specs, plan.own_specs, plan.name):
            written[file] = description
        is_wanted = options.build and not report.stopped
        is_built = is_wanted and _may_package_help(report, specs, plan)
        built = _build_package(plan, report) if is_built else None
    except OnnxopError as error:
        if not isinstance(error, packaged.NoKernelError):
            report.build_failure = str(error)
        report.notes.append(Note(f"Built no package: {error}"))
        return _PackageResult(written, None, str(error))
    return _PackageResult(written, built, "")


def _build_package(plan: _Plan, report: Report) -> BuiltPackage | None:
    """Build the package of the specs in the folder, and return it; None if there are no specs. Raises
    OnnxopError.
    """
    from onnxop_runtime.specs.reading import specs_in

    from ..scan.remedies import packaged

    if plan.folder is None or not specs_in(plan.folder):
        return None
    with progress() as tell:
        built, report.kept = packaged.build(report, plan.exports, plan.folder, plan.name, tell)
    return built


def _print_end(
    options: argparse.Namespace, plan: _Plan, report: Report, package: _PackageResult
) -> None:
    """Print what was written and built, and what to do next; or all as JSON."""
    from ..scan.pages import page

    written, built = package.written, package.built
    if options.json:
        print(json.dumps(page.report_as_data(report, written, built, plan.folder), indent=2))
        return
    closing = page.closing_lines(
        report, written, built, plan.folder, package.why_none, is_build_wanted=options.build
    )
    for line in closing:
        show(line)


def _check_options(options: argparse.Namespace) -> None:
    """Raise OnnxopError for a name that is none of a package, and for a file where a folder is
    needed.
    """
    if options.name and (problem := names.problem_with_package(options.name)):
        raise OnnxopError(f"--name {options.name!r}: {problem}")
    if options.write and options.write.exists() and not options.write.is_dir():
        raise DestinationError(f"--write {options.write}: is a file; give a folder")


def _may_package_help(report: Report, specs: Specs, plan: _Plan) -> bool:
    """Return whether a package of the specs may make an export right."""
    is_blocked = bool(report.with_specs) or all(map(report.is_blocked, report.whole))
    if not is_blocked:
        return True
    return bool(report.can_be_right or report.functions or specs.unfinished or plan.own_specs)


def _write_missing(
    folder: Path, specs: Specs, own_specs: Mapping[str, Path], name: str
) -> Iterator[tuple[str, str]]:
    """Write missing specs and kernel skeletons into a folder. Yield each file, as soon as it is
    written, and a description.
    """
    from ..find import gallery
    from ..scan.remedies.spec_folder import write_kernel_skeletons

    for op, spec in {**specs.helping, **specs.unfinished}.items():
        if op not in own_specs:
            file = folder / spec.file
            write_spec(file, gallery.in_package(spec.text, name, names_it=spec.origin == "node"))
            yield str(file), ORIGINS[spec.origin]
    for header in write_kernel_skeletons(folder, name):
        yield str(header), "a kernel skeleton; write its compute()"
