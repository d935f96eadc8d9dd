"""Builds the kernels for their hosts: _kernel for PyTorch and Python, a library for ONNX Runtime."""

import sys
from pathlib import Path
from typing import Any

import setuptools

if int(setuptools.__version__.partition(".")[0]) < 77:
    raise SystemExit(
        f"setuptools {setuptools.__version__} is older than 77; run pip install without "
        "--no-build-isolation, or first pip install --upgrade setuptools"
    )

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Each op's file is compiled once, and is part of both libraries.
ops = [
    "csrc/asinh.cpp",
]
# Nothing of PyTorch or ONNX Runtime is needed to build: their C functions are declared in
# csrc/onnxop/torch/abi.h and csrc/onnxop/onnxruntime/abi.h, and found where the libraries are loaded.
flags = [
    "-O3",
    "-Wall",
    "-Wextra",
    # A kernel is given every argument, in infer() too, where few are of use.
    "-Wno-unused-parameter",
    # What vectorising needs; NaN, infinity and rounding stay exact.
    "-fno-math-errno",
    "-fno-trapping-math",
    # The same result on every CPU, with or without fused multiply-add.
    "-ffp-contract=off",
    # Integers wrap around, as PyTorch's do.
    "-fwrapv",
    # What messages call a kernel's file.
    "-fmacro-prefix-map=csrc/../=",
    # Writes down which headers a file includes, for the next build.
    "-MMD",
]

kernel = Pybind11Extension(
    "asinh._kernel",
    sources=[
        "csrc/onnxop/python/module.cpp",
        "csrc/onnxop/torch/abi.cpp",
        "csrc/onnxop/torch/library.cpp",
        *ops,
    ],
    include_dirs=["csrc"],
    cxx_std=20,
    extra_compile_args=flags,
    extra_link_args=["-Wl,--strip-all"],
)

# No module of Python's: a library that sessions load. It needs the C library alone, as programs may
# have no other; csrc/CMakeLists.txt builds it without Python.
onnxruntime = Extension(
    "asinh.libasinh_onnxruntime",
    sources=["csrc/onnxop/onnxruntime/library.cpp", *ops],
    include_dirs=kernel.include_dirs,
    extra_compile_args=kernel.extra_compile_args,
    extra_link_args=[
        *kernel.extra_link_args,
        "-static-libstdc++",
        "-static-libgcc",
        "-Wl,-z,nodelete",
        "-Wl,--version-script=csrc/onnxop/onnxruntime/library.map",
    ],
    language="c++",
)


def is_stale(target: str, source: str) -> bool:
    """Whether the target is older than what it was made from, or that is not known."""
    written_down = Path(target).with_suffix(".d")
    if not written_down.exists():
        return True
    words = written_down.read_text().replace("\\\n", " ").partition(": ")[2].split()
    made_from = [Path(word) for word in ["setup.py", *words]]
    made = Path(target).stat().st_mtime
    return not all(file.exists() and file.stat().st_mtime < made for file in made_from)


class Build(build_ext):
    """Compiles what has changed, side by side, before the two libraries are linked."""

    def finalize_options(self) -> None:
        super().finalize_options()
        # An editable install would throw away what it compiled.
        self.build_temp = f"build/temp.{self.plat_name}-{sys.implementation.cache_tag}"

    def build_extensions(self) -> None:
        ParallelCompile("MAX_JOBS", needs_recompile=is_stale).install()
        self.force = True  # to link, where nothing is compiled
        compiler: Any = self.compiler
        compile_one = compiler._compile

        def compile_for_host(
            obj: str, src: str, ext: str, cc_args: Any, args: list[str], pp_opts: Any
        ) -> None:
            # The hosts call and convert; what takes time is in the kernels.
            level = ["-O1"] if "onnxop" in Path(src).parts else []
            compile_one(obj, src, ext, cc_args, [*args, *level], pp_opts)

        compiler._compile = compile_for_host
        longest_first = [kernel.sources[0], *onnxruntime.sources, *kernel.sources]
        compiler.compile(
            list(dict.fromkeys(longest_first)),
            output_dir=self.build_temp,
            include_dirs=kernel.include_dirs,
            extra_postargs=kernel.extra_compile_args,
        )
        super().build_extensions()

    def get_ext_filename(self, fullname: str) -> str:
        if onnxruntime.name.endswith(fullname):
            return fullname.replace(".", "/") + ".so"
        name: str = super().get_ext_filename(fullname)
        return name


setup(ext_modules=[kernel, onnxruntime], cmdclass={"build_ext": Build})
