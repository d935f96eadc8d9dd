"""The kernels and both their bindings under AddressSanitizer and UndefinedBehaviorSanitizer.

    python tests/tools/sanitize.py [SPEC ...]

builds the packages with C++ (by default the reference packages and those of tests/specs), with the
sanitizers, into a scratch folder, and runs their tests of the operator and of its node in ONNX
Runtime, and malformed.py. A finding ends the process that makes it, and so the run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPECS = [
    spec
    for folder in ("reference_ops/*/ops", "tests/specs")
    for spec in sorted(ROOT.glob(f"{folder}/*.toml"))
    if "[kernel]" in spec.read_text(encoding="utf-8")
]
MALFORMED = ROOT / "tests" / "malformed.py"
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g"
# torch.compile and opcheck load much foreign code; the roundtrips' other opsets add nothing.
CHOSEN = "not opcheck and not compiles and not threads and (not roundtrip or one_node)"


def library(name: str) -> str:
    command = ["g++", f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main(specs: list[Path]) -> None:
    environment = {
        **os.environ,
        "CFLAGS": FLAGS,  # pybind11 searches these flags for debugging symbols
        "CXXFLAGS": FLAGS,
        "LDFLAGS": FLAGS,
        "PYTHONPATH": "",
    }
    # Python is not instrumented, so the sanitizer must load before it; leaks at exit are Python's.
    watched = {
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    for path in specs:
        with tempfile.TemporaryDirectory() as folder:
            package, site = Path(folder, "package"), Path(folder, "site")
            new = [sys.executable, "-m", "onnxop", "new", str(path), str(package)]
            subprocess.run(new, check=True, stdout=subprocess.DEVNULL)
            if not (package / "setup.py").exists():
                continue
            print(f"{path.stem}:", flush=True)
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
            command += [
                "--no-deps",
                "--disable-pip-version-check",
                "--target",
                str(site),
                str(package),
            ]
            subprocess.run(command, check=True, env=environment)
            watching = {**environment, **watched, "PYTHONPATH": str(site)}
            pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, "tests"]
            malformed = ["-W", "ignore", str(MALFORMED), "tests"]
            for arguments in (pytest, malformed):
                command = [sys.executable, *arguments]
                subprocess.run(command, check=True, cwd=package, env=watching)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]] or SPECS)
