"""Names: what may be an identifier, and how it is spelt in Python and in C++."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterable

MAX_LENGTH = 100
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

# Keywords and alternative tokens of C++20, and macros that <cmath> and its relatives define.
_CPP_RESERVED = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xor_eq
    linux unix main errno assert math_errhandling sched_priority stdin stdout stderr
    """.split()

_MACRO = re.compile(r"[A-Z][A-Z0-9_]*|[A-Z]_\w*")  # INT8_MAX, L_tmpnam, M_PIf


def problem_with(name: str) -> str | None:
    """Why this cannot be a name, or None where it can."""
    if not name:
        return "is empty"
    if not _IDENTIFIER.match(name):
        return "is not an identifier (ASCII letters, digits and _, not starting with a digit)"
    if len(name) > MAX_LENGTH:
        return f"has more than {MAX_LENGTH} characters"
    if keyword.iskeyword(name):
        return "is a Python keyword"
    if name.startswith("__"):
        return "starts with two underscores, which Python and C++ keep for themselves"
    return None


def problem_with_argument(name: str) -> str | None:
    """Why this cannot be an argument's name, or None where it can."""
    if found := problem_with(name):
        return found
    if name.startswith("_"):
        return "starts with an underscore, as the names of the generated code do"
    if name in _KEPT_ARGUMENTS:
        return f"is kept for {_KEPT_ARGUMENTS[name]}"
    return None


def problem_with_operator(name: str) -> str | None:
    """Why this cannot be an operator's name, or None where it can."""
    if found := problem_with(name):
        return found
    if name.startswith("_"):
        return "starts with an underscore, which would make it private"
    if name in _KEPT_OPERATORS:
        return f"is kept for {_KEPT_OPERATORS[name]}"
    return problem_with(camel(name))


_PYTHON_S_OWN = "a type of Python's that the generated code uses"
_KEPT_ARGUMENTS = {
    "grad": "the incoming gradient in [autograd]",
    "result": "the operator's result in [autograd]",
    "op": "ONNX's operators in the mapping",
    "torch": "PyTorch's functions in [autograd]",
    "raises": "the exception in [[errors]]",
    "match": "the exception's text in [[errors]]",
    **dict.fromkeys(("Any", "Tensor", "OP", "onnxop_runtime", "package"), "the generated code"),
    **dict.fromkeys(("bool", "float", "int", "list", "str"), _PYTHON_S_OWN),
}
_KEPT_OPERATORS = {
    "export": "the package's function that writes models",
    "translation_table": "the package's function that gives the rule to the dynamo exporter",
    "verify": "the package's function that compares runtimes",
    "torch": "PyTorch's module",
    "onnxop_runtime": "what the package stands on",
    "package": "what the package says of itself",
    "kernel": "a module of the package's own",
    **dict.fromkeys(
        ("bool", "dict", "float", "int", "list", "staticmethod", "str", "super", "tuple", "zip"),
        _PYTHON_S_OWN,
    ),
}


def problem_with_package(name: str, requires: Iterable[str] = ()) -> str | None:
    """Why this cannot be the import name of a package, or None where it can.

    What it must not be is the same whatever is installed here, and on every version of Python.
    ``requires`` are the modules that the op needs.
    """
    if found := problem_with(name):
        return found
    if name.startswith("_"):
        return "starts with an underscore, which would make it private"
    folded = _folded(name)
    if folded in {"sitecustomize", "usercustomize"}:
        return "is that of a module which every Python that starts here would run"
    if what := _KEPT_PACKAGES.get(folded):
        return what if folded == name else f"{what}, but for capitals and underscores"
    if folded in (_folded(module.partition(".")[0]) for module in requires):
        return "is that of a module which the op requires"
    return None


def _folded(name: str) -> str:
    """The name as file systems without capitals, and names of distributions, have it."""
    return re.sub("_+", "_", name.lower())


# What Python 3.11 to 3.14 have and not all of them; `test` is theirs, though not in the list.
_OTHER_PYTHONS = """
    aifc annotationlib asynchat asyncore audioop cgi cgitb chunk compression crypt distutils imghdr
    imp lib2to3 mailcap msilib nis nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib test
    uu xdrlib
    """.split()
_TOOLS = """
    build clang_format conftest csrc dist engine engine_models mypy mypyc ops pip pkg_resources py
    pybind11 pytest ruff samples setup setuptools src test_operators test_reference test_roundtrip
    tests wheel
    """.split()
# Modules, and distributions where they are called otherwise, that onnxop and generated packages
# depend on, directly or not; tests/unit/test_names.py says what is missing.
_DEPENDENCIES = """
    annotated_types ast_serialize attr attrs cfgv clang_format colorama copier
    copier_template_extensions copier_templates_extensions cuda cuda_bindings cuda_pathfinder
    cuda_toolkit distlib dunamai execnet filelock flatbuffers fsspec functorch funcy google
    hypothesis identify iniconfig isympy jinja2 jinja2_ansible_filters jsonschema
    jsonschema_specifications librt markupsafe ml_dtypes mpmath mypy mypy_extensions mypyc networkx
    nodeenv numpy nvidia nvidia_cublas nvidia_cuda_cccl nvidia_cuda_cupti nvidia_cuda_nvrtc
    nvidia_cuda_runtime nvidia_cudnn_cu13 nvidia_cufft nvidia_cufile nvidia_curand nvidia_cusolver
    nvidia_cusparse nvidia_cusparselt_cu13 nvidia_nccl_cu13 nvidia_nvjitlink nvidia_nvshmem_cu13
    nvidia_nvtx onnx onnx_ir onnxop onnxop_runtime onnxruntime onnxscript packaging pathspec pil pillow
    platformdirs pluggy plumbum poethepoet pre_commit prompt_toolkit protobuf pydantic pydantic_core
    pygments pytest_xdist python_discovery pyyaml questionary referencing rpds rpds_py sccache
    sortedcontainers sympy torch torchgen torchvision triton types_jsonschema types_pyyaml
    types_setuptools typing_extensions typing_inspection virtualenv wcwidth xdist yaml
""".split()
# What torch, onnxruntime, numpy, setuptools, pytest and their like import where it is there, or load as
# a plugin; tests/unit/test_names.py says what is missing.
_OPTIONAL = """
    accimage aiohttp amdsmi apex argcomplete backports bottleneck caffe2 cffi charset_normalizer
    ck4inductor cloudpickle code_generators coloredlogs com coremltools cpuinfo cupti cupy
    cutlass cutlass_cppgen cutlass_library cv2 cython datasets deeplearning defusedxml dill dl
    docutils einops etcd exceptiongroup expecttest fbscribelogger flash_attn flint flydsl gdown
    gmpy2 h5py habana_frameworks halide helion humanfriendly importlib_metadata
    importlib_resources intel_extension_for_pytorch ipython jaraco jax libfb lmdb matplotlib
    mlprodict modelopt monkeytype more_itertools moviepy mtia nccl neural_compressor ninja
    numarray numba numeric numexpr numpy_distutils nvmath nvmatmulheuristics objgraph
    onnxruntime_extensions opt_einsum optree origami orjson pandas pexpect psutil pulp pwlf
    pyarrow pycocotools pycute pydot pyinstaller pyinstrument pynvml pytest_run_parallel pytorch
    pytorch_lightning pyzes redis requests rfe rich rocm_sdk safetensors scipy scipy_doctest
    shtab sklearn spmd_types tabulate tensorboard tensorflow tensorrt threadpoolctl tomli
    torch_directml torch_mlu torch_musa torch_neuronx torch_npu torch_tensorrt torch_xla
    torcharrow torchaudio torchcodec torchcomms torchdistx torchelastic torchrec
    torchvision_extra_decoders tqdm transformers trove_classifiers tvm tvm_ffi twisted urllib3
    win32api win32com z3 zipp zope
    """.split()
_KEPT_PACKAGES = {
    _folded(name): what
    for kinds, what in (  # of two that have a name, the last one tells
        (_OPTIONAL, "is that of a package which PyTorch or its like import where it is installed"),
        (_DEPENDENCIES, "is that of a package which the generated one, or onnxop, depends on"),
        (_TOOLS, "is that of a tool, or of a file, that builds or tests the generated package"),
        ([*sys.stdlib_module_names, *_OTHER_PYTHONS], "is a module of Python's standard library"),
    )
    for name in kinds
}


def cpp(name: str) -> str:
    """The name in C++: itself, or with an underscore behind it where C++ keeps the word."""
    return f"{name}_" if name in _CPP_RESERVED or _MACRO.fullmatch(name) else name


def free(wanted: str, taken: Iterable[str]) -> str:
    """The wanted name, with as many underscores behind it as make it none of those taken."""
    occupied = set(taken)
    while wanted in occupied:
        wanted += "_"
    return wanted


def claim(wanted: str, taken: set[str]) -> str:
    """The wanted name or, where it is taken, one made of it; it is taken from now on."""
    name = free(wanted, taken)
    taken.add(name)
    return name


def camel(name: str) -> str:
    """``my_add`` as a class name: ``MyAdd``; with ``Op`` behind it where that means something."""
    joined = "".join(part[:1].upper() + part[1:] for part in name.split("_")) or name
    return f"{joined}Op" if joined in {name, "Any", "Tensor", "Verification"} else joined


def snake(name: str) -> str:
    """``DeformConv`` as a variable's name: ``deform_conv``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return spaced.lower()
