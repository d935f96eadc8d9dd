"""Builds the kernel for its hosts: _kernel for PyTorch and Python, _onnxruntime for ONNX Runtime."""

from importlib.util import find_spec
from pathlib import Path

from pybind11.setup_helpers import ParallelCompile, Pybind11Extension
from setuptools import Extension, setup

# Found without importing it, which would take longer than compiling against it.
found = find_spec("torch")
if found is None or not found.submodule_search_locations:
    raise SystemExit("torch is not installed; run pip install torch, then build again")
torch = Path(found.submodule_search_locations[0])

headers = [str(header) for header in sorted(Path("csrc").glob("*.h"))]
flags = [
    "-O3",
    "-Wall",
    "-Wextra",
    # What vectorising needs; NaN, infinity and rounding stay exact.
    "-fno-math-errno",
    "-fno-trapping-math",
    # The same result on every CPU, with or without fused multiply-add.
    "-ffp-contract=off",
    # Integers wrap around, as PyTorch's do.
    "-fwrapv",
]

kernel = Pybind11Extension(
    "asinh._kernel",
    sources=["csrc/python_binding.cpp", "csrc/torch_binding.cpp"],
    depends=headers,
    include_dirs=[str(torch / "include")],
    # Importing torch has loaded its libraries before _kernel is, so no path to them is stored.
    library_dirs=[str(torch / "lib")],
    libraries=["torch_cpu"],
    # The stable ABI of this release: the extension works with it and with every later one.
    define_macros=[("TORCH_TARGET_VERSION", "0x020F000000000000")],
    cxx_std=20,
    extra_compile_args=flags,
)

# No module of Python's: a library that sessions load. It links nothing of ONNX Runtime, whose ABI
# is in csrc/onnxruntime_abi.h, and shows one function.
onnxruntime = Extension(
    "asinh._onnxruntime_kernel",
    sources=["csrc/onnxruntime_binding.cpp"],
    depends=headers,
    extra_compile_args=["-std=c++20", "-fvisibility=hidden", *flags],
    extra_link_args=["-Wl,-z,nodelete", "-Wl,--version-script=onnxruntime.map"],
    language="c++",
)

ParallelCompile(default=2).install()
setup(ext_modules=[kernel, onnxruntime], options={"build_ext": {"parallel": 2}})
