"""Build of a package's library for CUDA by nvcc, for PyTorch and ONNX Runtime in one.

It imports only the standard library: tests of a bare machine run this file by its path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HOSTS = "torch/abi.cpp", "torch/library.cpp", "onnxruntime/library.cpp"

ARCHITECTURES = "75", "80", "86", "89", "90", "100", "120"
"""The compute capabilities that a library is built for where the machine has no GPU, or builds
wheels.
"""

MISSING = (
    "{package} is built without its library for CUDA: nvcc is missing. Set CUDA_HOME, or run "
    '{pip_install} "cuda-toolkit[nvcc,nvvm,crt,cudart,cccl]=={version}", and build {package} again with '
    "{pip_install} --no-build-isolation"
)

FLAGS = [
    "-std=c++20",
    "-O3",
    # The same bits as on CPUs, without fused multiply-add.
    "-fmad=false",
    # std::min, std::array and the like in device code.
    "--expt-relaxed-constexpr",
    "--threads=0",
    "--compress-mode=size",
    # Host functions that a kernel's template could call, but never does on a GPU.
    "--diag-suppress=20014",
    "--compiler-options=-fPIC,-g0,-fwrapv",
]

Digest = Callable[[str, str, list[str]], str]
"""The hash of an object file's inputs, by its path and its command."""


class Nvcc:
    """An installed nvcc."""

    def __init__(self, path: str) -> None:
        self._path = path
        text = _output(path, "--version")
        release = re.search(r"release (\d+)\.(\d+)", text)
        if release is None:
            raise SystemExit(f"{path} --version does not name a release: {text.strip()!r}")
        self._major = release[1]

    @classmethod
    def find(cls) -> Nvcc | None:
        """Return the nvcc of CUDA_HOME, PATH or the environment's wheels; None without one."""
        home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
        if home:
            path = Path(home, "bin", "nvcc")
            if not path.is_file():
                raise SystemExit(
                    f"CUDA_HOME is {home}, which has no bin/nvcc; correct it, or unset it"
                )
            return cls(str(path))
        if on_path := shutil.which("nvcc"):
            return cls(on_path)
        folders = [Path(folder, "nvidia") for folder in sys.path]
        wheels = [path for folder in folders for path in sorted(folder.glob("cu*/bin/nvcc"))]
        return cls(str(wheels[0])) if wheels else None

    def build(
        self,
        target: Path,
        sources: Sequence[str],
        include: Sequence[str],
        cxx: Sequence[str],
        folder: Path,
        digest: Digest,
    ) -> None:
        """Compile and link the library.

        Args:
            target: the library.
            sources: the operators' C++ files, which are compiled by nvcc.
            include: the folders of headers; the last has ``onnxop/``.
            cxx: the command of the C++ compiler with its flags, for the hosts.
            folder: where object files go.
            digest: tells which of them are up to date.

        Raises:
            SystemExit: a compiler refuses a file; it has printed why.
        """
        folder.mkdir(parents=True, exist_ok=True)
        headers = [f"-I{directory}" for directory in include]
        macro = f"-DONNXOP_CUDA={self._major}"
        kernel_command = [self._path, "-x", "cu", *FLAGS, *self._code(), macro, *headers]
        host_command = [*cxx, "-O1", macro, *headers]
        host_sources = [str(Path(include[-1], "onnxop", name)) for name in HOSTS]
        commands = {source: kernel_command for source in sources}
        commands |= {source: host_command for source in host_sources}
        jobs = int(os.environ.get("MAX_JOBS") or os.cpu_count() or 1)

        def compile_one(source: str) -> str:
            path = Path(source)
            obj = str(folder / f"{path.parent.name}_{path.stem}.o")
            _compile(commands[source], source, obj, digest)
            return obj

        with ThreadPoolExecutor(jobs) as pool:
            objects = list(pool.map(compile_one, commands))
        script = Path(include[-1], "onnxop", "cuda", "library.map")
        linked = f"-Xlinker=--strip-all,-z,nodelete,--version-script={script}"
        target.parent.mkdir(parents=True, exist_ok=True)
        _run(
            [
                self._path,
                "-shared",
                "-o",
                str(target),
                *objects,
                linked,
                "-lrt",
                "-lpthread",
                "-ldl",
            ]
        )

    def _code(self) -> list[str]:
        """Return the flags of the architectures, with PTX of the last one for later GPUs."""
        names = self.architectures()
        flags = [f"-gencode=arch=compute_{name},code=sm_{name}" for name in names]
        return [*flags, f"-gencode=arch=compute_{names[-1]},code=compute_{names[-1]}"]

    def architectures(self) -> list[str]:
        """Return the compute capabilities to compile for: ONNXOP_CUDA_ARCHS, this machine's GPUs,
        or all.
        """
        chosen = os.environ.get("ONNXOP_CUDA_ARCHS", "").replace(".", "").replace(",", " ").split()
        if chosen and chosen != ["native"]:
            return chosen
        is_for_all = "CIBUILDWHEEL" in os.environ and not chosen
        of_this_machine = [] if is_for_all else _architectures_of_this_machine()
        if of_this_machine:
            return of_this_machine
        if chosen:
            raise SystemExit(
                "ONNXOP_CUDA_ARCHS is native, but nvidia-smi names no GPU; write 90, for example"
            )
        supported = re.findall(r"sm_(\d+)\b", _output(self._path, "--list-gpu-code"))
        return [name for name in ARCHITECTURES if name in supported]


def _architectures_of_this_machine() -> list[str]:
    """Return the compute capabilities of this machine's GPUs."""
    smi = shutil.which("nvidia-smi")
    if smi is None:
        return []
    lines = _output(smi, "--query-gpu=compute_cap", "--format=csv,noheader").split()
    names = {line.replace(".", "") for line in lines if re.fullmatch(r"\d+\.\d", line)}
    return sorted(names, key=int)


def _compile(command: Sequence[str], source: str, obj: str, digest: Digest) -> None:
    """Compile a file, unless its object file is up to date."""
    written = Path(obj).with_suffix(".digest")
    text = " ".join(command)
    if Path(obj).exists() and written.exists() and written.read_text() == digest(obj, text, []):
        return
    depends = str(Path(obj).with_suffix(".d"))
    _run([*command, "-MMD", "-MF", depends, "-c", source, "-o", obj])
    written.write_text(digest(obj, text, []))


def _run(command: Sequence[str]) -> None:
    print(" ".join(command), flush=True)
    status = subprocess.run(command, check=False).returncode
    if status != 0:
        raise SystemExit(
            f"{Path(command[0]).name} ended with status {status}: see its message above"
        )


def _output(*command: str) -> str:
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    return run.stdout
