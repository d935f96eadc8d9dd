"""The commands that look for operators, rules and specs: inspect, scan and ``new --from``."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from onnxop_runtime.specs import names

from ..errors import DestinationError, OnnxopError
from .output import add_command, add_flag, path, progress, show

_REQUIRES = "import this module first, for the operators that it registers; may be repeated"


def add_arguments(commands: Any) -> None:
    """Add inspect and scan."""
    summary = "show what PyTorch, its exporters, ONNX, ONNX Runtime and the gallery have of an op"
    examples = "torchvision::roi_align", "onnx:DeformConv"
    inspect = add_command(commands, "inspect", _inspect, summary, *examples)
    inspect.add_argument(
        "name",
        metavar="NAME",
        help="torchvision::roi_align, aten::asinh, torch.asinh, onnx:DeformConv, or part of a name",
    )
    add_flag(inspect, "--json", "print JSON, for programs")
    add_requires(inspect)

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


def add_requires(parser: argparse.ArgumentParser) -> None:
    """Add the option for modules that register operators."""
    parser.add_argument("--requires", action="append", default=[], metavar="MODULE", help=_REQUIRES)


def _inspect(options: argparse.Namespace) -> None:
    """Print the page of a name, or its JSON."""
    from ..inspect import page
    from ..inspect.inspection import inspect

    with progress() as tell:
        inspection = inspect(options.name, options.requires, tell)
    if options.json:
        print(json.dumps(asdict(inspection), indent=2))
    else:
        show(page.answer(inspection))


def _run_scan(options: argparse.Namespace) -> int:
    """Print the report of a model. Return 1 if no requested export writes a right file."""
    from onnxop_runtime.specs.reading import specs_in

    from ..package.build import check_can_build
    from ..scan import packaged, page, remedies, stops
    from ..scan import scan as scanning
    from ..scan import specs as specs_of
    from ..scan import target as targets

    exporters = options.exporter or ["dynamo", "TorchScript"]
    wanted, notes = scanning.exports(exporters, options.opset or [20])
    if not wanted:
        raise OnnxopError("\n".join([*notes, "No export is left to try; write another --opset."]))
    if options.name and (problem := names.problem_with_package(options.name)):
        raise OnnxopError(f"--name {options.name!r}: {problem}")
    if options.write and options.write.exists() and not options.write.is_dir():
        raise DestinationError(f"--write {options.write}: is a file; give a folder")
    target = targets.load(options.model, options.requires, is_trusted=options.trust)
    folder = options.write or (Path(f"{target.package}_specs") if options.build else None)
    own = specs_of.own_specs(folder)
    if options.build:
        check_can_build()
    told = None if options.json else page.Shown(show)
    with progress() as tell, stops.raising(options.time_limit):
        report = scanning.scan_model(target, wanted, tell, is_static=options.static, told=told)
        report.notes[:0] = notes
        specs = remedies.find(report, own, tell, target.requires)
    written: dict[str, str] = {}
    name = options.name or specs_of.package_of(own.values()) or target.package
    if folder is not None:
        written = _write_missing(folder, specs, own, name)
    if told is not None:
        told.report(report)
    built = None
    may_help = report.can_be_right or report.functions or specs.unfinished or own
    is_blocked = bool(report.with_specs) or all(map(report.is_blocked, report.whole))
    is_futile = is_blocked and not may_help
    can_build = options.build and not report.stopped and not is_futile
    if can_build and folder is not None and specs_in(folder):
        with progress() as tell:
            built = packaged.build(report, wanted, folder, name, tell)
    if options.json:
        print(json.dumps(page.data(report, written, built, folder), indent=2))
    else:
        for line in page.closing(report, written, built, folder, is_built=options.build):
            show(line)
    is_built_right = built is not None and any(out.is_right for out in built.whole.values())
    return 0 if is_built_right or report.can_be_right else 1


def _write_missing(folder: Path, specs: Any, with_specs: Any, name: str) -> dict[str, str]:
    """Write missing specs and kernel skeletons into a folder, and return a description of each
    file.
    """
    from ..find import gallery
    from ..scan.specs import write_kernels

    written = {}
    for op, spec in {**specs.helping, **specs.unfinished}.items():
        if op not in with_specs:
            file = folder / spec.file
            _write(file, gallery.in_package(spec.text, name, names_it=spec.origin == "node"))
            written[str(file)] = _ORIGINS[spec.origin]
    for header in write_kernels(folder, name):
        written[str(header)] = "a kernel skeleton; write its compute()"
    return written


def write_specs(options: argparse.Namespace) -> None:
    """Write the specs of ``new --from`` into a folder."""
    from ..starter import starter
    from ..starter.starter import Starter

    folder: Path = options.paths[0] if options.paths else Path()
    specs: dict[Path, Starter] = {}
    with progress() as tell:
        for name in options.sources:
            tell(f"looking for {name}")
            if re.fullmatch(r"[\w./-]+:[\w.]+", name) and not name.startswith("onnx:"):
                from ..scan import own_functions

                written = [own_functions.starter_of(name, options.model, options.requires)]
            else:
                written = starter.write_all(name, options.requires)
            specs |= {folder / spec.file: spec for spec in written}
    for file in specs:
        if os.path.lexists(file) and not options.force:
            raise DestinationError(
                f"{file}: exists; choose another folder, or use --force, which keeps it as "
                "<name>.orig"
            )
    for file, spec in specs.items():
        _write(file, spec.text)
        facts = [_ORIGINS[spec.origin]]
        if spec.origin != "gallery" and spec.is_proved:
            facts.append("tried: ONNX Runtime's results match PyTorch's")
        if spec.origin != "gallery" and not spec.is_called:
            facts.append("whose samples PyTorch refuses: write one that it accepts")
        print(f"Wrote {file}: {', '.join(facts)}")
        if not spec.is_needed:
            print(f"  Both of PyTorch's exporters export {spec.op} right; it needs no spec.")
    is_whole = all(spec.origin != "node" for spec in specs.values())
    command = ["onnxop", "new", *map(str, specs)]
    if len(specs) > 1:
        command += ["--name", "my_ops"]
    if is_whole:
        command.append("--build")
    print(f"Next: check it, and run\n  {shlex.join(command)}")
    if not is_whole:
        print("Then write compute() in the header in ops/ of the package.")


_ORIGINS = {
    "gallery": "the gallery's spec",
    "decomposed": "a starter, decomposed as the dynamo exporter does",
    "composed": "a starter, composed of PyTorch's operators",
    "kernel": "a starter, with a kernel that calls <cmath>",
    "node": "a starter, whose kernel you write",
    "bare": "a starter, whose mapping you write",
}


def _write(file: Path, text: str) -> None:
    from ..package.files import File, backup_of, read

    former = read(file.parent, [file.name]).get(file.name)
    if former == File(text.encode()):
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(file):
        if kept := backup_of(file, former):
            file.rename(kept)
            print(f"Kept the former file as {kept}")
        else:
            file.unlink()
    file.write_text(text, encoding="utf-8")
