"""Build of a package's kernels for PyTorch, ONNX Runtime and OpenVINO, called by its ``setup.py``.

Environments of builds may lack PyTorch: it imports only setuptools, its dependencies, and pybind11.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

import setuptools

from .installer import missing_headers, pip_install

_OLDEST_SETUPTOOLS = 77
if int(setuptools.__version__.partition(".")[0]) < _OLDEST_SETUPTOOLS:
    raise SystemExit(
        f"setuptools {setuptools.__version__} is older than {_OLDEST_SETUPTOOLS}; run first "
        f"{pip_install()} --upgrade setuptools"
    )

from packaging.requirements import Requirement
from setuptools import Extension
from setuptools.command.build_ext import build_ext

from . import nvcc

try:
    from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
except ModuleNotFoundError:
    raise SystemExit(f"pybind11 is missing; run first {pip_install()} pybind11") from None

SANITIZED = os.environ.get("ONNXOP_SANITIZE", "")
"""The sanitizers to build with, separated by commas: ``address``; "" for none."""

_FOLDER = Path(__file__).resolve().parent
INCLUDE = _FOLDER / "include"
"""The folder of the headers and of the hosts' sources, ``onnxop/``."""

_HOSTS = INCLUDE / "onnxop"
_FILES = "python/module.cpp", "torch/abi.cpp", "torch/library.cpp"
_MODULE = [str(_HOSTS / name) for name in _FILES]

# A build needs neither PyTorch nor ONNX Runtime: onnxop/torch/abi.h and onnxop/onnxruntime/abi.h
# declare their C functions, which are resolved when the libraries are loaded.
FLAGS = [
    "-O3",
    "-g0",  # Python's own flags ask for what the linker strips, a quarter of the time
    "-Wall",
    "-Wextra",
    # Kernels and infer() get all arguments, and may use few.
    "-Wno-unused-parameter",
    # Needed to vectorise; NaN, infinity and rounding stay exact.
    "-fno-math-errno",
    "-fno-trapping-math",
    # The same result on every CPU, with or without fused multiply-add.
    "-ffp-contract=off",
    # Integers wrap around, as PyTorch's do.
    "-fwrapv",
    # Short names of files in messages.
    "-fmacro-prefix-map=csrc/../=",
    f"-fmacro-prefix-map={INCLUDE}/=",
    # Record the headers that a file includes, for the next build.
    "-MMD",
]
_STRIPPED = ["-Wl,--strip-all"]
if SANITIZED:
    FLAGS += [f"-fsanitize={SANITIZED}", "-fno-omit-frame-pointer", "-g"]
    _STRIPPED = [f"-fsanitize={SANITIZED}"]


def extension(
    package: str, *, api: int, openvino: bool = False, cuda: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the arguments of ``setuptools.setup`` that describe a package's compiled files.

    Args:
        package: the name of the package. Each C++ file in its folder ``csrc`` is compiled once, for
            both the extension module ``_kernel`` and the library for ONNX Runtime.
        api: the version of the runtime's API that the package was made for.
        openvino: whether to build a library for OpenVINO, too.
        cuda: the operators with kernels for CUDA, by the names of their files in ``csrc``; there is
            a library for CUDA, too, if there are any and nvcc is installed.

    Raises:
        SystemExit: the package was made for another runtime, or OpenVINO is missing.
    """
    _check_versions(package, api)
    sources = sorted(map(str, Path("csrc").glob("*.cpp")))
    # Other files for an sdist: headers, and the kernels and specs in ops/.
    depends = sorted(str(file) for name in ("csrc", "ops") for file in Path(name).rglob("*.*"))
    kernel = Pybind11Extension(
        f"{package}._kernel",
        sources=sources,
        include_dirs=["csrc", str(INCLUDE)],
        cxx_std=20,
        depends=depends,
        extra_compile_args=FLAGS,
        extra_link_args=[*_STRIPPED, _version_script("python/module.map")],
    )
    # A library that sessions load, not a Python module. It depends on the C library only, because
    # programs may lack others. Leave out unused parts of the C++ library, which would need a later
    # C library.
    links = {"onnxruntime": ["-static-libstdc++", "-static-libgcc", "-Wl,--gc-sections"]}
    if openvino:
        links["openvino"] = _openvino_links()
    libraries = [
        Extension(
            f"{package}.lib{package}_{host}",
            sources=sources,
            include_dirs=kernel.include_dirs,
            extra_compile_args=kernel.extra_compile_args,
            extra_link_args=[
                *_STRIPPED,
                "-Wl,-z,nodelete",
                _version_script(f"{host}/library.map"),
                *own,
            ],
            depends=depends,
            language="c++",
        )
        for host, own in links.items()
    ]
    if cuda and _has_nvcc(package):
        library = f"{package}.lib{package}_cuda"
        kernels = [f"csrc/{name}.cpp" for name in sorted(cuda)]
        libraries.append(Extension(library, sources=kernels, depends=depends, language="c++"))
    return {"ext_modules": [kernel, *libraries], "cmdclass": {"build_ext": _Build}}


@cache
def _nvcc() -> nvcc.Nvcc | None:
    """Return the installed nvcc, which is asked for its version once."""
    return nvcc.Nvcc.find()


def _has_nvcc(package: str) -> bool:
    """Return whether nvcc is installed; if it is not, say how to install it. The CPU's part needs
    none.
    """
    if SANITIZED:
        return False
    if _nvcc() is not None:
        return True
    print(
        nvcc.MISSING.format(package=package, version=_cuda_of_torch(), pip_install=pip_install()),
        file=sys.stderr,
        flush=True,
    )
    return False


def _cuda_of_torch() -> str:
    """Return the version of cuda-toolkit that the installed PyTorch requires; "13.*" if it names
    none.
    """
    try:
        required = map(Requirement, requires("torch") or [])
    except PackageNotFoundError:
        return "13.*"
    versions = [r.specifier for r in required if r.name == "cuda-toolkit"]
    return next((pin.version for specifier in versions for pin in specifier), "13.*")


@cache
def _openvino() -> Path:
    """Return the folder of the package openvino in this environment; raise SystemExit if it is
    missing.
    """
    spec = importlib.util.find_spec("openvino")
    for folder in (spec.submodule_search_locations if spec is not None else None) or []:
        if Path(folder, "include").is_dir():
            return Path(folder)
    raise SystemExit(
        f"openvino is missing, but the package needs it; run {pip_install()} openvino, and then "
        f"{pip_install()} --no-build-isolation"
    )


def _openvino_links() -> list[str]:
    # A process has loaded these before it loads an extension.
    names = ("libopenvino.so.*", "libtbb.so.*")
    return [str(next((_openvino() / "libs").glob(name))) for name in names]


def _check_versions(package: str, api: int) -> None:
    """Raise SystemExit if the package was made for another runtime."""
    text = (_FOLDER / "__init__.py").read_text(encoding="utf-8")
    numbers = dict(re.findall(r'^(\w+) = "?([\w.]+)"?$', text, flags=re.MULTILINE))
    version = numbers["__version__"]
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in map(Requirement, project.get("dependencies", [])):
        is_runtime = requirement.name == "onnxop-runtime"
        if is_runtime and not requirement.specifier.contains(version, prereleases=True):
            raise SystemExit(
                f"{package} needs {requirement}, but {_FOLDER} is {version}; run {pip_install()} "
                f'"{requirement}"'
            )
    oldest, newest = int(numbers["OLDEST_API"]), int(numbers["API"])
    if not oldest <= api <= newest:
        later = f"{pip_install()} --upgrade onnxop-runtime"
        earlier = "onnxop update in the package's folder"
        raise SystemExit(
            f"{package} was made for API {api} of onnxop-runtime, but {_FOLDER}, {version}, "
            f"supports {oldest} to {newest}; run {later if api > newest else earlier}"
        )


def _flags_of_host(source: str) -> list[str]:
    """Return the compiler's flags for the host of a source: the headers of OpenVINO."""
    is_openvino = Path(source).is_relative_to(_HOSTS / "openvino")
    return ["-isystem", str(_openvino() / "include")] if is_openvino else []


class _Build(build_ext):
    """Compiles changed files in parallel, before the libraries are linked."""

    def finalize_options(self) -> None:
        super().finalize_options()
        # A fixed folder, because editable installs delete theirs.
        self.build_temp = f"build/temp.{self.plat_name}-{sys.implementation.cache_tag}"

    def build_extensions(self) -> None:
        """Compile all files in parallel, and link the libraries; raise SystemExit if headers are
        missing.
        """
        if message := missing_headers():
            raise SystemExit(message)
        self.force = True  # link even if nothing is compiled
        kernel, *libraries = (e for e in self.extensions if not _is_for_cuda(e))
        # Restored below: setuptools would list them as the package's files, and refuse their paths.
        sources = kernel.sources
        kernel.sources = [*_MODULE, *sources]
        for library in libraries:
            host = library.name.rpartition("_")[2]
            library.sources = [str(_HOSTS / host / "library.cpp"), *library.sources]
        self._compile_changed_only(kernel)
        longest_first = [extension.sources[0] for extension in (kernel, *libraries)]
        compiler: Any = self.compiler
        compiler.compile(
            list(dict.fromkeys([*longest_first, *kernel.sources])),
            output_dir=self.build_temp,
            include_dirs=kernel.include_dirs,
            extra_postargs=kernel.extra_compile_args,
        )
        super().build_extensions()
        for extension in (kernel, *libraries):
            extension.sources = sources

    def _compile_changed_only(self, kernel: Extension) -> None:
        """Have the compiler compile files in parallel, with the flags of their hosts, and only
        those whose digest is not that of their object.
        """
        compiler: Any = self.compiler
        command = " ".join([*compiler.compiler_so_cxx, *kernel.extra_compile_args])
        compile_one = compiler._compile

        def compile_for_host(
            obj: str, src: str, ext: str, cc_args: object, args: list[str], pp_opts: object
        ) -> None:
            # Only kernels are worth the time of more optimization.
            level = ["-O1"] if Path(src).is_relative_to(INCLUDE) else []
            flags = _flags_of_host(src)
            compile_one(obj, src, ext, cc_args, [*args, *level, *flags], pp_opts)
            Path(obj).with_suffix(".digest").write_text(_digest(obj, command, flags))

        def is_stale(obj: str, src: str) -> bool:
            recorded = Path(obj).with_suffix(".digest")
            if not Path(obj).exists() or not recorded.exists():
                return True
            return recorded.read_text() != _digest(obj, command, _flags_of_host(src))

        compiler._compile = compile_for_host
        ParallelCompile("MAX_JOBS", needs_recompile=is_stale).install()

    def build_extension(self, ext: Extension) -> None:
        """Link a library; that for CUDA is compiled and linked by nvcc."""
        if not _is_for_cuda(ext):
            super().build_extension(ext)
            return
        compiler: Any = self.compiler
        target = Path(self.get_ext_fullpath(ext.name))
        cxx = [*compiler.compiler_so_cxx, "-std=c++20", *FLAGS]
        folder = Path(self.build_temp, "cuda")
        compiler_of_cuda = _nvcc()
        assert compiler_of_cuda is not None  # else there is no such extension
        sources = [str(source) for source in ext.sources]
        compiler_of_cuda.build(target, sources, ["csrc", str(INCLUDE)], cxx, folder, _digest)

    def get_ext_filename(self, fullname: str) -> str:
        if fullname.endswith(("_onnxruntime", "_openvino", "_cuda")):
            return fullname.replace(".", "/") + ".so"
        name: str = super().get_ext_filename(fullname)  # type: ignore[no-untyped-call,unused-ignore]
        return name


def _is_for_cuda(extension: Extension) -> bool:
    return extension.name.endswith("_cuda")


def _version_script(name: str) -> str:
    return f"-Wl,--version-script={_HOSTS / name}"


def _digest(obj: str, command: str, of_host: list[str]) -> str:
    """Return a hash of the inputs of an object file: the command, and the files that the compiler
    recorded. Their times do not suffice, because an installer may set earlier ones for a later
    runtime.
    """
    written = Path(obj).with_suffix(".d")
    text = written.read_text() if written.exists() else ""
    files = map(Path, text.replace("\\\n", " ").partition(": ")[2].split())
    digest = hashlib.sha256(" ".join([command, *of_host]).encode())
    if of_host:  # its headers are system headers, which are not recorded
        digest.update(" ".join(_openvino_links()).encode())
    for file in files:
        digest.update(file.read_bytes() if file.exists() else b"")
    return digest.hexdigest()
