"""``onnxop scan``: a model → what fails in its exports, remedies, and with --build a package."""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Mapping, Sequence
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
    from ..scan.pages.page import Shown
    from ..scan.remedies.packaged import Built
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
        help="stop after this time, and report what is known then, as after SIGINT or SIGTERM; "
        "no limit by default",
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
    from ..package.build import check_can_build
    from ..scan import scan as scanning
    from ..scan.pages import page
    from ..scan.remedies import packaged
    from ..scan.report.cause import Note

    exporters = options.exporter or ["dynamo", "TorchScript"]
    wanted, notes = scanning.exports(exporters, options.opset or [20])
    if not wanted:
        raise OnnxopError("\n".join([*notes, "No export is left to try; write another --opset."]))
    _check_options(options)
    if options.build:
        check_can_build()
    shown = None if options.json else page.Shown(show)
    report, specs, plan = _scanned(options, wanted, begin, shown)
    folder = None if plan is None else plan.folder
    report.notes[:0] = map(Note, notes)
    if shown is not None:
        shown.report(report)
    written: dict[str, str] = {}
    built, why_none = None, ""
    try:
        if plan is not None and folder is not None:
            _write_missing(folder, specs, plan.own_specs, plan.name, written)
            if options.build and not report.stopped and _may_help(report, specs, plan.own_specs):
                built = _built(report, wanted, folder, plan.name)
    except OnnxopError as error:
        why_none = str(error)
        if not isinstance(error, packaged.NoKernelError):
            report.build_failure = why_none
        report.notes.append(Note(f"Built no package: {why_none.rstrip('.')}."))
    if options.json:
        print(json.dumps(page.data(report, written, built, folder), indent=2))
    else:
        paragraph = page.closing(
            report, written, built, folder, why_none, is_build_wanted=options.build
        )
        for line in paragraph:
            show(line)
    if report.build_failure:
        return OnnxopError.status
    is_built_right = built is not None and any(out.is_right for out in built.whole.values())
    return 0 if is_built_right or report.can_be_right else 1


@dataclass(frozen=True)
class _Plan:
    """A model to scan, the folder of specs or None, the user's specs by operator, and the name of a
    package of them.
    """

    target: Target
    folder: Path | None
    own_specs: Mapping[str, Path]
    name: str


def _plan(options: argparse.Namespace) -> _Plan:
    """Load the model, and return what to do. Raises OnnxopError."""
    from ..scan.model import target as targets
    from ..scan.remedies import spec_folder

    target = targets.load(options.model, options.requires, is_trusted=options.trust)
    folder = options.write or (Path(f"{target.package}_specs") if options.build else None)
    own_specs = spec_folder.own_specs(folder)
    name = options.name or spec_folder.package_of(own_specs.values()) or target.package
    if options.build and folder is not None:
        spec_folder.check_package(name, folder / name)
    return _Plan(target, folder, own_specs, name)


def _scanned(
    options: argparse.Namespace, wanted: Sequence[Export], begin: float, shown: Shown | None
) -> tuple[Report, Specs, _Plan | None]:
    """Load and scan the model, and look for remedies, until a signal or the time limit, which count
    from ``begin``, ends this. Return what is known; no plan if the model was not loaded.
    """
    from ..scan import scan as scanning
    from ..scan import stopping
    from ..scan.remedies import remedies
    from ..scan.remedies.remedy_search import Specs
    from ..scan.report.report import Report

    with progress() as tell, stopping.raising(options.time_limit, begin):
        try:
            tell("loading the model")
            plan = _plan(options)
        except stopping.Stopped as stopped:
            stopping.end()
            return Report(options.model, stopped=str(stopped)), Specs(), None
        report = scanning.scan_model(
            plan.target, wanted, tell, is_static=options.static, observer=shown
        )
        specs = remedies.find(report, plan.own_specs, tell, plan.target.requires)
    return report, specs, plan


def _built(report: Report, wanted: Sequence[Export], folder: Path, name: str) -> Built | None:
    """Build the package of the specs in a folder, and return it; None if there are no specs. Raises
    OnnxopError.
    """
    from onnxop_runtime.specs.reading import specs_in

    from ..scan.remedies import packaged

    if not specs_in(folder):
        return None
    with progress() as tell:
        return packaged.build(report, wanted, folder, name, tell)


def _check_options(options: argparse.Namespace) -> None:
    """Raise OnnxopError for a name that is none of a package, and for a file where a folder is
    needed.
    """
    if options.name and (problem := names.problem_with_package(options.name)):
        raise OnnxopError(f"--name {options.name!r}: {problem}")
    if options.write and options.write.exists() and not options.write.is_dir():
        raise DestinationError(f"--write {options.write}: is a file; give a folder")


def _may_help(report: Report, specs: Specs, own_specs: Mapping[str, Path]) -> bool:
    """Return whether a package of the specs may make an export right."""
    is_blocked = bool(report.with_specs) or all(map(report.is_blocked, report.whole))
    if not is_blocked:
        return True
    return bool(report.can_be_right or report.functions or specs.unfinished or own_specs)


def _write_missing(
    folder: Path, specs: Specs, own_specs: Mapping[str, Path], name: str, written: dict[str, str]
) -> None:
    """Write missing specs and kernel skeletons into a folder, and add a description of each file to
    those ``written``.
    """
    from ..find import gallery
    from ..scan.remedies.spec_folder import write_kernel_skeletons

    for op, spec in {**specs.helping, **specs.unfinished}.items():
        if op not in own_specs:
            file = folder / spec.file
            write_spec(file, gallery.in_package(spec.text, name, names_it=spec.origin == "node"))
            written[str(file)] = ORIGINS[spec.origin]
    for header in write_kernel_skeletons(folder, name):
        written[str(header)] = "a kernel skeleton; write its compute()"
