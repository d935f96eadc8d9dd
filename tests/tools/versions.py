"""One build of packages in every release of PyTorch that is supported.

    python tests/tools/versions.py [--environments FOLDER] [--python PATH] [--torch VERSION]... [-k
    EXPRESSION] [SPECS ...]

builds packages (by default one of five ops, of every kind of kernel; one of a kernel that takes a
Scalar; one for an operator of PyTorch's own) here, once, as wheels. Then, for the newest patch of
each minor release since 2.10, and each patch of the two newest minors (listed by the package
index), it makes an environment by uv (several gigabytes; pip takes minutes more), installs these
wheels and that of onnxop-runtime there, makes the packages again, which must be the same byte for
byte, runs their tests, and deletes the environment. It uses and keeps an environment that FOLDER
has, such as ``torch-2.10.0``. With ``--python``, another Python than this one, such as
``python3.14``, builds the wheels and makes the environments.

Prints for each release the row of the table in reference_ops/README.md; exits with 1 if anything
failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from packaging.version import Version

from onnxop.check.load import load_package
from onnxop.package.render import render

ROOT = Path(__file__).resolve().parents[2]
OLDEST = Version("2.10")
OPS = ["my_add", "rms_norm", "quick_gelu", "keep_above", "swish"]
SPECS = [
    [ROOT / "reference_ops/my_add/ops/my_add.toml"]
    + [ROOT / "tests" / "specs" / f"{name}.toml" for name in OPS[1:]],
    [ROOT / "tests" / "specs" / "axps.toml"],
    [ROOT / "tests" / "specs" / "aminmax.toml"],  # PyTorch 2.11 has no gradient of it
]
NEEDED = ["numpy", "onnx", "onnxruntime", "onnxscript", "hypothesis", "pytest", "torchvision"]
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
WHEEL = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir")
GENERATOR = ["copier>=9.19", "pydantic", "pyyaml", "packaging"]
HEAD = "| torch | passed | skipped | failed |\n| --- | --- | --- | --- |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("specs", nargs="*", type=Path)
    parser.add_argument("--torch", action="append")
    parser.add_argument("--python", help="the Python that builds and tests, such as python3.14")
    parser.add_argument("--environments", type=Path)
    parser.add_argument("-k", default="", dest="chosen")
    options = parser.parse_args()
    rows = [HEAD]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        groups = [specs_of(path) for path in options.specs] or SPECS
        builder = builder_of(options.python, folder / "builder")
        run(builder, *WHEEL, folder / "runtime", ROOT / "runtime")
        (runtime,) = (folder / "runtime").glob("*.whl")
        if options.python:
            run(builder, *PIP, "--no-deps", runtime)
        packages = [
            build(specs, folder / str(place), builder) for place, specs in enumerate(groups)
        ]
        for release in options.torch or supported(offered()):
            own = (options.environments or folder) / f"torch-{release}"
            is_kept = own.exists()
            python = environment(own, release, options.python or sys.executable)
            run(python, *PIP, "--no-deps", "--force-reinstall", runtime)
            counts: Counter[str] = Counter()
            for specs, package in zip(groups, packages, strict=True):
                print(f"torch {release}: {package.name}", flush=True)
                counts += check(python, specs, package, options.chosen)
            if not is_kept:
                shutil.rmtree(own)
            cells = (str(counts[key]) for key in ("passed", "skipped", "failed"))
            rows.append(f"| {release} | {' | '.join(cells)} |")
            print(rows[-1], flush=True)
    print("\n".join(rows))
    sys.exit(not all(row.endswith("| 0 |") for row in rows[1:]))


def offered() -> list[Version]:
    """Return the releases of PyTorch in the package index, except named builds (``+cpu``)."""
    command = [sys.executable, "-m", "pip", "index", "versions", "torch"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    (listed,) = (line for line in text.splitlines() if line.startswith("Available versions:"))
    versions = (Version(release.strip()) for release in listed.partition(":")[2].split(","))
    return sorted(version for version in versions if version.local is None)


def supported(releases: Sequence[Version]) -> list[str]:
    """Return the newest patch of each minor release since the oldest, and each patch of the two
    newest.
    """
    known = sorted(version for version in releases if version >= OLDEST)
    minors = [list(patches) for _, patches in groupby(known, lambda version: version.release[:2])]
    chosen = [patches[-1:] for patches in minors[:-2]] + minors[-2:]
    return [str(version) for patches in chosen for version in patches]


def specs_of(path: Path) -> list[Path]:
    return sorted(path.glob("*.toml")) if path.is_dir() else [path]


def name_of(specs: Sequence[Path]) -> str:
    """Return the package's name if the specs do not give it."""
    return "ops_of_all_kinds" if specs == SPECS[0] else ""


def builder_of(python: str | None, folder: Path) -> str | Path:
    """Return a Python with what builds need: this one, or a new environment of another."""
    if python is None:
        return sys.executable
    run(python, "-m", "venv", folder)
    builder = folder / "bin" / "python"
    run(builder, *PIP, "setuptools>=77", "pybind11>=3", "wheel")
    return builder


def build(specs: Sequence[Path], folder: Path, builder: str | Path) -> Path:
    """Build the package of these specs, beside its wheel."""
    spec = load_package(specs, name_of(specs), is_new=True)
    package = folder / spec.package.name
    render(spec, package)
    sources = shutil.copytree(package, folder / "sources")
    run(builder, *WHEEL, folder, "--no-build-isolation", sources)
    return package


def check(python: Path, specs: Sequence[Path], package: Path, chosen: str) -> Counter[str]:
    """Make the package again with that Python, and test the wheel with it; return how many tests
    passed, were skipped and failed.
    """
    (wheel,) = package.parent.glob("*.whl")
    run(python, *PIP, "--no-deps", "--force-reinstall", wheel)
    with tempfile.TemporaryDirectory() as scratch:
        again, report = Path(scratch, package.name), Path(scratch, "report.xml")
        name = ["--name", name_of(specs)] if name_of(specs) else []
        generator = str(ROOT / "generator")
        run(python, "-m", "onnxop", "new", *specs, again, *name, PYTHONPATH=generator)
        run("diff", "--recursive", package, again)
        options = ["-q", "-p", "no:cacheprovider", f"--junitxml={report}", "-k", chosen]
        run(python, "-m", "pytest", *options, "tests", cwd=again, is_checked=False)
        suite = ElementTree.parse(report).getroot()[0]
        tests, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
        failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    return Counter(passed=tests - skipped - failed, skipped=skipped, failed=failed)


def environment(folder: Path, release: str, base: str) -> Path:
    """Return the Python of an environment with that release of PyTorch."""
    python = folder / "bin" / "python"
    if not python.exists():
        run(base, "-m", "venv", folder)
        uv = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python)
        # Exactly that build: torchvision's wheel does not support named ones, such as +cpu.
        run(*uv, f"torch==={release}", *NEEDED, *GENERATOR)
    return python


def run(
    *command: str | Path, cwd: Path | None = None, is_checked: bool = True, **variables: str
) -> None:
    environment = {**os.environ, "PYTHONPATH": "", **variables}
    subprocess.run(list(map(str, command)), check=is_checked, cwd=cwd, env=environment)


if __name__ == "__main__":
    main()
