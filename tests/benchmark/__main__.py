"""The kernels of packages against PyTorch's, ONNX Runtime's and torchvision's, side by side in one
run.

    python -m tests.benchmark all of it, into a scratch folder; prints the table python -m
    tests.benchmark build FOLDER makes the packages and builds them python -m tests.benchmark run
    FOLDER measures them; needs torch, onnxruntime and the like python -m tests.benchmark draw
    speed.json -> the picture and the page's table

Every pair of calls is measured in shuffled order; what counts is the ratio of the medians, theirs
to ours, so that 2 is twice as fast. Times differ between machines and runs; ratios hold.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.benchmark import report
from tests.benchmark.works import BINARY, FUNCTIONS, Call, Work, all_works

Clock = Callable[[], float]
ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ("my_add", "asinh", "deform_conv2d", "dynamic_resize", "vision_ops")
FOR_OPENVINO = ("deform_conv2d", "rms_norm") if find_spec("openvino") else ()
RESULTS = ROOT / "reference_ops" / "speed.json"

FUNCTION = """
[op]
schema = "speed::{name}({parameters}) -> Tensor"

[onnx]
opset = 18
domain = "speed"

[kernel]
elementwise = "{expression}"

[[samples]]
x = "float32[2]"
"""


def build(folder: Path) -> None:
    """Build the reference packages, and one of all functions: their sources, and ``site`` to import
    from.
    """
    specs = folder / "specs"
    specs.mkdir(parents=True, exist_ok=True)
    for name in FUNCTIONS:
        expression = f"{name}(x, y)" if name in BINARY else f"{name}(x)"
        write(specs, f"function_{name}", expression, is_binary=name in BINARY)
    write(specs, "swish", "x / (1 + exp(-1.5 * x))")
    sources = {name: ROOT / "reference_ops" / name / "ops" for name in REFERENCE}
    sources |= {"speed": specs, "rms_norm": ROOT / "tests" / "specs" / "rms_norm.toml"}
    for name, spec in sources.items():
        new = ["-m", "onnxop", "new", str(spec), str(folder / name), "--force", "--name", name]
        new += ["--runtime", "openvino"] * (name in FOR_OPENVINO)
        subprocess.run([sys.executable, *new], check=True, stdout=subprocess.DEVNULL)
        pip = ["-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--upgrade"]
        pip += ["--disable-pip-version-check", "--target", str(folder / "site"), str(folder / name)]
        subprocess.run([sys.executable, *pip], check=True)


def write(specs: Path, name: str, expression: str, *, is_binary: bool = False) -> None:
    parameters = "Tensor x, Tensor y" if is_binary else "Tensor x"
    text = FUNCTION.format(name=name, parameters=parameters, expression=expression)
    sample = 'y = "float32[2]"\n' if is_binary else ""
    (specs / f"{name}.toml").write_text(text + sample, encoding="utf-8")


def seconds(call: Call, pause: float, clock: Clock) -> float:
    """Return the seconds of one call after a warm-up; repeat quick calls."""
    time.sleep(pause)
    start = clock()
    call()
    once = clock() - start
    if once > 1:
        return once
    repeats = max(1, int(0.002 / max(once, 1e-7)))
    start = clock()
    for _ in range(repeats):
        call()
    return (clock() - start) / repeats


def measure(work: Work, clock: Clock) -> dict[str, Any]:
    times: tuple[list[float], list[float]] = ([], [])
    calls = (work.ours, work.theirs)
    for _ in range(work.rounds):
        for side in random.sample((0, 1), 2):
            times[side].append(seconds(calls[side], work.pause, clock))
    ours, theirs = (statistics.median(side) for side in times)
    return {
        "group": work.group,
        "host": work.host,
        "work": work.work,
        "against": work.against,
        "ours": float(f"{ours:.4g}"),
        "theirs": float(f"{theirs:.4g}"),
        "ratio": float(f"{theirs / ours:.3g}"),
    }


def machine() -> dict[str, Any]:
    import onnxruntime  # type: ignore[import-untyped]
    import torch

    cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next((line for line in cpu.splitlines() if line.startswith("model name")), ": ?")
    return {
        "cpu": model.partition(":")[2].strip(),
        "level": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__,
        "onnxruntime": onnxruntime.__version__,
        "libc": " ".join(platform.libc_ver()),
    }


def run(folder: Path, chosen: str, threads: int, clock: Clock) -> dict[str, Any]:
    """Measure, and print each line at once."""
    sys.path.insert(0, str(folder / "site"))
    import torch

    if threads:
        torch.set_num_threads(threads)
    results = []
    for work in all_works(folder):
        if chosen in f"{work.group}: {work.host}: {work.work}":
            results.append(measure(work, clock))
            print(report.line(results[-1]), flush=True)
    return {"machine": machine(), "results": results}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmark")
    parser.add_argument("step", nargs="?", choices=("all", "build", "run", "draw"), default="all")
    parser.add_argument("folder", nargs="?", type=Path, help="where the packages are, or go")
    parser.add_argument("--only", default="", help="measure what has these words in its line")
    parser.add_argument("--threads", type=int, default=0, help="PyTorch's; by default all")
    parser.add_argument("--json", type=Path, help="where the results go, or come from")
    parser.add_argument(
        "--cpu-time",
        action="store_true",
        help="measure the process's own time: for a busy machine, with --threads 1",
    )
    options = parser.parse_args()
    clock = time.process_time if options.cpu_time else time.perf_counter
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        if options.step in ("all", "build"):
            build(folder)
        if options.step in ("all", "run"):
            results = run(folder, options.only, options.threads, clock)
            if options.json:
                options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if options.step == "draw":
        kept = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
        text = options.json.read_text(encoding="utf-8") if options.json else kept
        RESULTS.write_text(text, encoding="utf-8")
        report.write(json.loads(text), ROOT / "reference_ops")


if __name__ == "__main__":
    main()
