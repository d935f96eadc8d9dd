"""Runs the test suites of generated packages that need no compiler, each in a process of its own.

    python tests/run_packages.py [--jobs N] [-k EXPRESSION] PACKAGE ...

Importing PyTorch takes longer than the tests: it is imported once, and the process forks for each
package. The packages are not installed: their ``src`` is on the path.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("-k", default="", dest="chosen")
    given = parser.parse_args()
    warm_up()
    running: dict[int, Path] = {}
    failed: list[Path] = []
    for package in given.packages:
        if len(running) == given.jobs:
            wait(running, failed)
        running[start(package, given.chosen)] = package
    while running:
        wait(running, failed)
    for package in failed:
        print(f"==== {package}")
        print((package / "output.txt").read_text(encoding="utf-8", errors="replace")[-6000:])
    print(f"{len(given.packages) - len(failed)} of {len(given.packages)} packages pass")
    return 1 if failed else 0


def warm_up() -> None:
    """Imports what the tests import, and makes both exporters load what they need."""
    import tempfile

    import onnx.reference  # noqa: F401
    import onnxruntime  # type: ignore[import-untyped] # noqa: F401
    import pytest  # noqa: F401
    import torch
    import torch._dynamo
    import torchvision  # type: ignore[import-untyped] # noqa: F401

    torch.set_num_threads(1)  # a pool of threads would not outlive the fork
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dynamo in (True, False):
            torch.onnx.export(
                torch.nn.Identity().eval(),
                (torch.ones(2),),
                str(Path(folder, "model.onnx")),
                dynamo=dynamo,
                verbose=False,
            )


def start(package: Path, chosen: str) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        code = test(package.resolve(), chosen)
    finally:
        sys.stdout.flush()
        os._exit(code)


def test(package: Path, chosen: str) -> int:
    """In the child: all that the package says of itself."""
    import pytest

    log = os.open(package / "output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    source = str(package / "src")
    sys.path.insert(0, source)
    os.environ["PYTHONPATH"] = source
    os.chdir(package)
    command = ["-q", "-p", "no:cacheprovider", "--tb=short", "--maxfail=5", "tests"]
    inner = f"not ({' or '.join(inner_opsets())})"
    code = int(pytest.main([*command, "-k", f"{inner} and ({chosen})" if chosen else inner]))
    readme = re.search("```python\n(.*?)```", Path("README.md").read_text("utf-8"), re.DOTALL)
    assert readme is not None
    exec(compile(readme[1], "README.md", "exec"), {"__name__": "readme"})  # noqa: S102 - the example is what is tested
    return code


def inner_opsets() -> list[str]:
    """The roundtrips between the lowest and the highest opset: they cost minutes."""
    return [
        f"{exporter}-{opset}-"
        for exporter, opsets in (("dynamo", range(18, 26)), ("TorchScript", range(9, 24)))
        for opset in opsets[1:-1]
    ]


def wait(running: dict[int, Path], failed: list[Path]) -> None:
    child, status = os.wait()
    package = running.pop(child)
    if status:
        failed.append(package)
    print(f"{package.name}: {'fails' if status else 'passes'}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
