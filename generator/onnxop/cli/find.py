"""The commands that find what there is: inspect, scan and ``new --from``."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .. import names
from ..errors import DestinationError, OnnxopError
from .output import add_flag, described, path, progress, show

_REQUIRES = "a module that registers operators, imported first; torchvision and others are known"


def add_arguments(commands: Any) -> None:
    """The commands, to argparse."""
    what = "tell what is known of an op: in PyTorch, its exporters, ONNX, ONNX Runtime, the gallery"
    examples = "torchvision::roi_align", "onnx:DeformConv --json"
    inspect = commands.add_parser("inspect", help=what, **described(what, *examples))
    inspect.add_argument(
        "name",
        metavar="NAME",
        help="torchvision::roi_align, aten::asinh, torch.asinh, onnx:DeformConv, or a word",
    )
    add_flag(inspect, "--json", "print JSON, for programs")
    add_requires(inspect)
    inspect.set_defaults(run=_inspect)

    what = (
        "try every op of a model alone, and the model, with both exporters, and tell the shortest "
        "way out for each that is not right; this runs the model's code"
    )
    brief = "try every op of a model alone; tell what does not export"
    examples = "models.py:build", "models.py:build --write specs --build"
    scan = commands.add_parser("scan", help=brief, **described(what, *examples))
    scan.add_argument(
        "model",
        metavar="MODEL",
        help="package.module:function, or file.py:function, of a function that returns (model, args) "
        "or (model, args, kwargs); its module is imported, which runs its code; or a .pt2 file",
    )
    scan.add_argument(
        "--opset",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="an opset to export at, by default 20; may be given again",
    )
    scan.add_argument(
        "--exporter",
        choices=["dynamo", "TorchScript"],
        action="append",
        default=[],
        help="one of the exporters alone",
    )
    scan.add_argument(
        "--write", type=path, metavar="DIR", help="write the specs that help; those there are kept"
    )
    add_flag(scan, "--build", "make one package of the specs, install it, and export again with it")
    add_flag(scan, "--static", "try the inputs that the function returns alone")
    scan.add_argument("--name", default="", help="the package's name, by default <module>_ops")
    add_flag(scan, "--json", "print JSON, for programs")
    add_flag(scan, "--trust", "load a .pt2 file; what it holds may do whatever you may")
    add_requires(scan)
    scan.set_defaults(run=_scan)


def add_requires(parser: argparse.ArgumentParser) -> None:
    """What imports operators that onnxop does not know the module of."""
    parser.add_argument("--requires", action="append", default=[], metavar="MODULE", help=_REQUIRES)


def _inspect(options: argparse.Namespace) -> None:
    """Prints what is known of a name."""
    from ..inspect import page
    from ..inspect.inspection import inspect

    with progress() as told:
        found = inspect(options.name, options.requires, told)
    show(json.dumps(asdict(found), indent=2) if options.json else page.answer(found))


def _scan(options: argparse.Namespace) -> int:
    """Prints what became of a model. Returns 1 where it is not right in an export asked for."""
    from ..scan import packaged, page, remedies
    from ..scan import scan as scanning
    from ..scan import specs as specs_of
    from ..scan import target as targets
    from ..spec.package import specs_in

    exporters = options.exporter or ["dynamo", "TorchScript"]
    wanted, notes = scanning.exports(exporters, options.opset or [20])
    if not wanted:
        raise OnnxopError("\n".join([*notes, "Nothing is left to do: give --opset another."]))
    if options.name and (problem := names.problem_with_package(options.name)):
        raise OnnxopError(f"--name {options.name!r}: {problem}")
    if options.write and options.write.exists() and not options.write.is_dir():
        raise DestinationError(f"--write {options.write}: is a file; give a folder")
    target = targets.load(options.model, options.requires, is_trusted=options.trust)
    folder = options.write or (Path(f"{target.package}_specs") if options.build else None)
    own = specs_of.own_specs(folder)
    with progress() as told:
        report = scanning.scan(target, wanted, told, is_static=options.static)
        report.notes[:0] = notes
        specs = remedies.find(report, own, told, target.requires, is_built=options.build)
    written: dict[str, str] = {}
    name = options.name or specs_of.package_of(own.values()) or target.package
    if folder is not None:
        written = _written(folder, specs, own, name)
    if not options.json:
        show(page.report(report))
    done = None
    if options.build and folder is not None and specs_in(folder):
        with progress() as told:
            done = packaged.build(report, wanted, folder, name, told)
    if options.json:
        print(json.dumps(page.data(report, written, done), indent=2))
    else:
        for line in page.closing(report, written, done, folder, is_built=options.build):
            show(line)
    return 0 if (done.is_right if done else report.is_right) else 1


def _written(folder: Path, specs: Any, own: Any, name: str) -> dict[str, str]:
    """Writes the specs, and kernels beside them, that are not there yet, for one package: what became of
    each, by file.
    """
    from ..find import gallery
    from ..scan.specs import write_kernels

    found = {}
    for op, spec in {**specs.helping, **specs.unfinished}.items():
        if op not in own:
            file = folder / spec.file
            _write(file, gallery.in_package(spec.text, name, names_it=spec.origin == "node"))
            found[str(file)] = _TOLD[spec.origin]
    for header in write_kernels(folder, name):
        found[str(header)] = "the first version of a kernel, whose compute() is still to be written"
    return found


def write_specs(options: argparse.Namespace) -> None:
    """Write the specs of `new --from` into a folder."""
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
                f"{file}: exists; choose another folder, or give --force, which keeps it as <name>.orig"
            )
    for file, spec in specs.items():
        _write(file, spec.text)
        facts = [_TOLD[spec.origin]]
        if spec.origin != "gallery":
            facts += ["tried: ONNX Runtime gives PyTorch's values"] * spec.is_proved
        if spec.origin != "gallery" and not spec.is_called:
            facts.append("whose samples PyTorch does not take: write one that it takes")
        print(f"Wrote {file}: {', '.join(facts)}")
        if not spec.is_needed:
            print(
                f"  Both of PyTorch's exporters write {spec.op} right by themselves; it needs no spec."
            )
    is_whole = all(spec.origin != "node" for spec in specs.values())
    flags = " --name my_ops" * (len(specs) > 1) + " --build" * is_whole
    print(f"Next: look at it, and run\n  onnxop new {shlex.join(map(str, specs))}{flags}")
    if not is_whole:
        print("Then write compute() in the header that this puts into ops/ of the package.")


_TOLD = {
    "gallery": "the gallery's spec",
    "decomposed": "a starter, with what the dynamo exporter has",
    "kernel": "a starter, with a kernel of <cmath>'s function",
    "node": "a starter, with a kernel that is still to be written",
    "bare": "a starter, a node that is still to be mapped",
}


def _write(file: Path, text: str) -> None:
    from ..package.files import free_name

    file.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(file):
        kept = free_name(file)
        file.rename(kept)
        print(f"Kept what was there before as {kept}")
    file.write_text(text, encoding="utf-8")
