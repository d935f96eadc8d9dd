"""One build of the packages in several releases of PyTorch.

    python tests/versions.py [--environments FOLDER] [--torch VERSION]... [-k EXPRESSION] [SPECS ...]

builds packages (by default the reference packages, a kernel that takes a Scalar, and one for an
operator of PyTorch's own) here, once, as wheels; then, for each release, makes an environment with it
(several gigabytes and minutes each; one that FOLDER has is taken as it is), and there installs the
wheels, makes the packages again, which must be the same byte for byte, and runs their tests.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from onnxop.package.render import render
from onnxop.spec.package import load_package
from onnxop.words.facts import Facts, asking

ROOT = Path(__file__).resolve().parent.parent
SPECS = [
    *sorted(ROOT.glob("reference_ops/*/ops")),
    ROOT / "tests" / "specs" / "axps.toml",
    ROOT / "tests" / "specs" / "aminmax.toml",  # PyTorch 2.11 has no gradient of it
]
RELEASES = ["2.10.0", "2.13.0"]
NEEDED = ["numpy", "onnx", "onnxruntime", "onnxscript", "pytest", "torchvision"]
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
GENERATOR = ["copier>=9.19", "copier-template-extensions", "pydantic", "pyyaml", "packaging"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("specs", nargs="*", type=Path, default=SPECS)
    parser.add_argument("--torch", action="append")
    parser.add_argument("--environments", type=Path)
    parser.add_argument("-k", default="", dest="chosen")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        packages = {path: build(path, folder / str(n)) for n, path in enumerate(given.specs)}
        for release in given.torch or RELEASES:
            python = environment((given.environments or folder) / f"torch-{release}", release)
            for path, package in packages.items():
                print(f"torch {release}: {package.name}", flush=True)
                check(python, path, package, given.chosen)


def build(path: Path, folder: Path) -> Path:
    """The package of a spec, or of a folder of specs, beside its wheel."""
    specs = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    with asking(Facts()) as facts:
        spec = load_package(specs, is_new=True)
    package = folder / spec.package.name
    render(spec, facts.answers, package)
    sources = shutil.copytree(package, folder / "sources")
    command = ["-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps"]
    run(sys.executable, *command, "--wheel-dir", folder, sources)
    return package


def check(python: Path, path: Path, package: Path, chosen: str) -> None:
    """Tests the wheel with that Python, and makes the package there again."""
    (wheel,) = package.parent.glob("*.whl")
    run(python, *PIP, "--no-deps", "--force-reinstall", wheel)
    with tempfile.TemporaryDirectory() as scratch:
        again = Path(scratch, package.name)
        generator = str(ROOT / "generator")
        run(python, "-m", "onnxop", "new", path, again, PYTHONPATH=generator)
        run("diff", "--recursive", package, again)
        run(
            python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, "tests", cwd=again
        )


def environment(folder: Path, release: str) -> Path:
    """The Python of an environment with that release of PyTorch."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        # Exactly that one: of builds with a name, +cpu for one, torchvision's wheel knows nothing.
        run(python, *PIP, f"torch==={release}", *NEEDED, *GENERATOR)
    return python


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> None:
    environment = {**os.environ, "PYTHONPATH": "", **variables}
    subprocess.run(list(map(str, command)), check=True, cwd=cwd, env=environment)


if __name__ == "__main__":
    main()
