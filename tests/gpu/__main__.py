"""Build, check and measure the CUDA kernels on this machine's GPU, in less than six minutes.

    python -m tests.gpu                  prints a line for each check, and the speed
    python -m tests.gpu --json FILE      also writes the results, as reference_ops/gpu.json
    python -m tests.gpu --only ONNX      the checks whose name has this text
    python -m tests.gpu draw             reference_ops/gpu.json -> the tables of docs/howto/cuda.md

A check that cannot run says SKIPPED, which counts as not run. The status is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from . import checks, libraries, onnx_runtime, report, speed

RESULTS = libraries.ROOT / "reference_ops" / "gpu.json"

LIMIT = 330.0
"""Seconds after which no check begins."""

NEEDED = ("build", "registration")
"""The checks without which no other runs."""

FAULTS = (
    *(ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError),
    *(AttributeError, ImportError, SystemExit, subprocess.SubprocessError),
)


@dataclass
class Checks:
    only: str = ""
    """A check runs if its name has this text, or if others need it."""
    started: float = field(default_factory=time.monotonic)
    results: dict[str, str] = field(default_factory=dict)

    def run(self, name: str, body: Callable[[], str]) -> None:
        """Run a check, and print its result at once."""
        if self.only not in name and name not in NEEDED:
            return
        begin = time.monotonic()
        if begin - self.started > LIMIT:
            result = "SKIPPED no time is left"
        else:
            result = _result(body)
        self.results[name] = result
        seconds = time.monotonic() - begin
        print(
            f"{result.partition(' ')[0]:8}{name} ({seconds:.1f} s) {result.partition(' ')[2]}",
            flush=True,
        )

    @property
    def has_failed(self) -> bool:
        return any(result.startswith("FAILED") for result in self.results.values())


def _result(body: Callable[[], str]) -> str:
    try:
        return f"ok {body()}".strip()
    except (checks.SkippedError, libraries.NoCompilerError) as error:
        return f"SKIPPED {error}"
    except FAULTS as error:
        traceback.print_exc(limit=3)
        return f"FAILED {type(error).__name__}: {' '.join(str(error).split())[:300]}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu")
    parser.add_argument("step", nargs="?", choices=("all", "small", "draw"), default="all")
    parser.add_argument("folder", nargs="?", type=Path, help="of the built libraries, for small")
    parser.add_argument("--only", default="", metavar="TEXT", help="of the checks' names")
    parser.add_argument("--json", type=Path, help="where the results go")
    options = parser.parse_args()
    if options.step == "draw":
        report.write(json.loads(RESULTS.read_text(encoding="utf-8")))
        return 0
    if options.step == "small":
        folder = options.folder.resolve()
        paths = {name: folder / f"lib{name}_cuda.so" for name in libraries.SOURCES}
        _kept = libraries.register(paths)
        checks.small()
        return 0
    checked, speeds = Checks(options.only), dict[str, Any]()
    with tempfile.TemporaryDirectory() as scratch:
        _run(checked, speeds, Path(scratch))
    if options.json:
        content = {"machine": machine(), "checks": checked.results, **speeds}
        options.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 1 if checked.has_failed else 0


def _run(checked: Checks, speeds: dict[str, Any], folder: Path) -> None:
    paths: dict[str, Path] = {}
    kept: list[Any] = []

    def build() -> str:
        paths.update(libraries.build(folder))
        return ", ".join(f"{path.stat().st_size >> 10} KiB" for path in paths.values())

    def register() -> str:
        if not paths:
            raise checks.SkippedError("the libraries are not built")
        kept.extend(libraries.register(paths))
        return f"PyTorch {torch.__version__}"

    def on_gpu(check: Callable[[], str]) -> Callable[[], str]:
        def run() -> str:
            if not kept:
                raise checks.SkippedError("the kernels are not registered")
            if not torch.cuda.is_available():
                raise checks.SkippedError("PyTorch sees no GPU")
            return check()

        return run

    def measured() -> str:
        speeds["speed"] = speed.measure()
        for row in speeds["speed"]:
            print("       ", row)
        speeds["missed_goals"] = speed.missed(speeds["speed"])
        print("        below the goals:", speeds["missed_goals"] or "none")
        speeds["host_microseconds"] = speed.host_seconds()
        return str(speeds["host_microseconds"])

    print(json.dumps(machine()), flush=True)
    checked.run("build", build)
    checked.run("registration", register)
    for check in (
        checks.values,
        checks.values_of_a_function,
        checks.all_halves,
        checks.strides,
        checks.many_elements,
        checks.gradients,
        checks.rows,
        checks.rotated_boxes,
        checks.attention,
        checks.streams,
        checks.devices,
        checks.errors,
        checks.graphs,
        checks.compiled,
    ):
        checked.run(check.__name__.replace("_", " "), on_gpu(check))
    bound = on_gpu(lambda: onnx_runtime.io_binding(paths, folder))
    checked.run("ONNX Runtime, IO binding", bound)
    checked.run("ONNX Runtime, rows", on_gpu(lambda: onnx_runtime.rows(paths)))
    checked.run("ONNX Runtime, threads", on_gpu(lambda: onnx_runtime.threads(paths)))
    checked.run("speed", on_gpu(measured))
    checked.run("sanitizer", on_gpu(lambda: checks.sanitizer(folder)))


def machine() -> dict[str, Any]:
    card = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    return {"gpu": card, "torch": torch.__version__, "cuda": torch.version.cuda}


if __name__ == "__main__":
    sys.exit(main())
