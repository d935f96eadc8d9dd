"""``onnxop new``: specs → a package, or with ``--from``, an operator → a spec."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..errors import BuildError
from .new_from import write_specs
from .output import add_flag, add_requires, path

EXAMPLES = "my_add.toml --build", "--from torchvision::roi_align"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``onnxop new``."""
    parser.set_defaults(run=partial(_new, parser))
    parser.usage = (
        "%(prog)s [-h] [--name NAME] [--runtime {openvino,cuda}] [--build] [--force] "
        "SPEC [SPEC ...] [DEST]\n"
        "       %(prog)s [-h] --from NAME [--model MODEL] [--requires MODULE] [--force] [FOLDER]"
    )
    parser.add_argument(
        "paths",
        type=path,
        nargs="*",
        metavar="SPEC",
        help="an op spec in TOML, - for standard input, or a folder of specs; several make one "
        "package; the last path may be DEST, the folder to write, by default ./<package>",
    )
    parser.add_argument("--name", default="", help="the package's name, if no spec sets it")
    parser.add_argument(
        "--from",
        dest="sources",
        action="append",
        default=[],
        metavar="NAME",
        help="write a spec instead, from the gallery or as a starter: for a PyTorch operator "
        "(aten::erfinv, torchvision::roi_align), an ONNX op (onnx:DeformConv), or a model's own "
        "torch.autograd.Function (package.module:Function); may be repeated",
    )
    parser.add_argument(
        "--model",
        default="",
        metavar="MODULE:FUNCTION",
        help="with --from, a model that calls the function, as for scan; by default the module's "
        "build()",
    )
    add_requires(parser)
    parser.add_argument(
        "--runtime",
        choices=["openvino", "cuda"],
        help="build the C++ kernels for this runtime, too; [package] runtimes does the same",
    )
    add_flag(parser, "--build", "install the package into this environment, and run its tests")
    meaning = "write into a folder that is not empty; keep files in the way as <name>.orig"
    add_flag(parser, "--force", meaning)


def _new(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Write a package, or with ``--from``, specs."""
    if options.sources:
        if options.build or options.name or options.runtime:
            parser.error(
                "--from writes a spec only; make a package from it by onnxop new SPEC --build"
            )
        if len(options.paths) > 1 or any(path.suffix == ".toml" for path in options.paths):
            parser.error("--from takes one folder to write to")
        write_specs(options)
    elif options.paths:
        _make(options)
    else:
        parser.error("the following arguments are required: SPEC, or --from NAME")


def _make(options: argparse.Namespace) -> None:
    """Write the package of the specs; print its files, and what to do next."""
    from onnxop_runtime.installer import pip_install

    from ..spec.source import read_specs

    paths, destination = _split(options.paths)
    readings = read_specs(paths)  # its faults are told without torch, onnx and copier
    from ..check.load import check_package
    from ..package.build import check_can_build, namesake
    from ..package.render import prepare_destination, render
    from ..spec.package import Purpose, with_runtime

    package_spec = check_package(readings, options.name, Purpose.NEW)
    if options.runtime:
        package_spec = with_runtime(package_spec, options.runtime)
    destination = destination or Path(package_spec.package.name)
    prepare_destination(destination, force=options.force)
    package = package_spec.package.name
    if options.build:
        check_can_build(has_kernels=any(op.is_native for op in package_spec.ops))
    if options.build and (other := namesake(package, [op.entry for op in package_spec.ops])):
        raise BuildError(
            f"{package}: installing it would replace {other}; write another name under [package], "
            'as in name = "my_ops", or uninstall the other one'
        )
    written = render(package_spec, destination, force=options.force)
    print(f"Wrote {len(written.files)} files to {destination}:")
    for file in written.files:
        print(f"  {file}")
    for file in written.kept:
        print(f"Kept the former file as {file}")
    for file in written.left:
        print(f"Left {file} as it is: it is yours")
    if options.build:
        _install_and_test(destination, unwritten=package_spec.unwritten)
    else:
        for skeleton in package_spec.unwritten:
            print(f"{skeleton} is a skeleton: write the kernel there first")
        print("Next: install it, and compare the kernels with the mapping:")
        # An installer would download a package if given a bare name.
        is_path = destination.is_absolute() or destination.parts[:1] == ("..",)
        folder = shlex.quote(str(destination) if is_path else f"./{destination}")
        print(f"  {pip_install()} --no-build-isolation {folder}\n  cd {folder} && pytest")


def _split(paths: list[Path]) -> tuple[list[Path], Path | None]:
    """Split the paths into specs and the destination: the last path, if it is not a spec."""
    *specs, last = paths
    if specs and last != Path("-") and (last.suffix != ".toml" or last.is_dir()):
        return specs, last
    return paths, None


def _install_and_test(package: Path, *, unwritten: Sequence[str]) -> None:
    """Install the package, and run its tests, up to the first failure if kernels are ``unwritten``
    skeletons.
    """
    from ..package import build

    print(f"Building and installing {package} ...", flush=True)
    build.install(package)
    print(
        "Running its tests: PyTorch against ONNX Runtime, for each exporter, opset and sample",
        flush=True,
    )
    texts = {package / name: (package / name).read_text("utf-8") for name in unwritten}
    missing = [file for file, text in texts.items() if "not_implemented(kName)" in text]
    for file in missing:
        print(f"{file} is a skeleton; its tests stop at compute():", flush=True)
    build.test(package, up_to_first_failure=bool(missing))
