"""Names of operators, arguments, packages and domains: what is valid, and why another one
is not.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterable

MAX_LENGTH = 100
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_DOMAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}\Z")
_TAKEN_DOMAIN = re.compile(r"(ai\.onnx|com\.microsoft)(\..*)?\Z|(aten|prim|onnx)\Z", re.DOTALL)


def problem_with(name: str) -> str | None:
    """Return why the name is not valid, or None if it is."""
    if not name:
        return "is empty"
    if not _IDENTIFIER.match(name):
        return "is not an identifier (ASCII letters, digits and _, not starting with a digit)"
    if len(name) > MAX_LENGTH:
        return f"has more than {MAX_LENGTH} characters"
    if keyword.iskeyword(name):
        return "is a Python keyword"
    if name.startswith("__"):
        return "starts with two underscores, which Python and C++ reserve"
    return None


def problem_with_argument(name: str) -> str | None:
    """Return why the name is not valid for an argument, or None if it is."""
    if problem := problem_with(name):
        return problem
    if name.startswith("_"):
        return "starts with an underscore, as names of the generated code do"
    if name.startswith("onnxop_"):
        return "starts with onnxop_, as onnxop's own attributes of nodes do"
    if name in _KEPT_ARGUMENTS:
        return "is reserved for the generated code"
    return None


def problem_with_operator(name: str) -> str | None:
    """Return why the name is not valid for an operator, or None if it is."""
    if problem := problem_with(name):
        return problem
    if name.startswith("_"):
        return "starts with an underscore, which would make it private"
    if name in _KEPT_OPERATORS:
        return "is reserved for the generated code"
    return problem_with(camel(name))


_KEPT_ARGUMENTS = frozenset(
    (
        "grad result op torch raises match Any Tensor OP onnxop_runtime package bool float "
        "int list str super"
    ).split()
)
_KEPT_OPERATORS = frozenset(
    "export translation_table verify session session_options library_path torch onnxop_runtime "
    "package kernel bool dict float int list staticmethod str super tuple zip".split()
)


def problem_with_package(name: str, requires: Iterable[str] = ()) -> str | None:
    """Return why the name is not valid for importing a package, or None if it is.

    The answer does not depend on the installed packages, nor on the version of Python.
    ``requires`` are the modules that the op needs.
    """
    if problem := problem_with(name):
        return problem
    if name.startswith("_"):
        return "starts with an underscore, which would make it private"
    folded = _folded(name)
    if folded in _KEPT_PACKAGES or folded.startswith("nvidia_"):
        return "is that of a module of Python, PyTorch or a build tool"
    if folded in (_folded(module.partition(".")[0]) for module in requires):
        return "is that of a module that the op requires"
    return None


def _folded(name: str) -> str:
    """Return the name as case-insensitive file systems and package indexes see it."""
    return re.sub("_+", "_", name.lower())


# Modules of any Python from 3.11 to 3.14, and those that Python imports at start-up; folders and
# modules of a package; dependencies of packages and onnxop (tests/unit/test_names.py names missing
# ones), and well-known modules that these import if installed.
_KEPT_PACKAGES = {_folded(name) for name in sys.stdlib_module_names} | set(
    """
    aifc annotationlib asynchat asyncore audioop cgi cgitb chunk compression crypt distutils imghdr
    imp lib2to3 mailcap msilib nis nntplib ossaudiodev pipes smtpd sndhdr spwd sunau telnetlib test
    uu xdrlib sitecustomize usercustomize

    build clang_format conftest csrc dist engine engine_models mypy mypyc ops pip pkg_resources py
    pybind11 pytest ruff samples setup setuptools src test_operators test_reference test_roundtrip
    tests wheel

    annotated_types argcomplete ast_serialize attr attrs cfgv clang_format colorama copier
    copier_template_extensions copier_templates_extensions cuda cuda_bindings cuda_pathfinder
    cuda_toolkit distlib dunamai execnet filelock flatbuffers fsspec functorch funcy google
    hypothesis identify iniconfig isympy jinja2 jinja2_ansible_filters jsonschema
    jsonschema_specifications librt markupsafe ml_dtypes mpmath mypy_extensions networkx nodeenv
    numpy nvidia onnx onnx_ir onnxop onnxop_runtime onnxruntime onnxscript openvino
    openvino_telemetry packaging pathspec pil pillow platformdirs pluggy plumbum poethepoet
    pre_commit prompt_toolkit protobuf pydantic pydantic_core pygments pytest_xdist python_discovery
    pyyaml questionary referencing rpds rpds_py sccache sortedcontainers sympy torch torchgen
    torchvision triton types_jsonschema types_pyyaml types_setuptools typing_extensions
    typing_inspection uv virtualenv wcwidth xdist yaml

    apex coloredlogs cupy cv2 cython dill einops exceptiongroup expecttest h5py importlib_metadata
    ipython jax matplotlib ninja numba opt_einsum optree orjson pandas psutil pyarrow redis requests
    rich safetensors scipy sklearn tabulate tensorboard tensorflow tensorrt tomli torch_npu
    torch_xla torchao torchaudio torchcodec tqdm transformers zipp
    """.split()
)


def camel(name: str) -> str:
    """Return a class name: ``MyAdd`` of ``my_add``, with ``Op`` appended if that name is in use."""
    joined = "".join(part[:1].upper() + part[1:] for part in name.split("_")) or name
    return f"{joined}Op" if joined in {name, "Any", "Tensor", "Verification"} else joined


def problem_with_domain(domain: str) -> str | None:
    """Return why the name is not valid for a domain of custom nodes, or None if it is."""
    if _TAKEN_DOMAIN.match(domain):
        return "is reserved for ONNX, ONNX Runtime or PyTorch"
    if not _DOMAIN.match(domain):
        return "is not a domain (ASCII letters, digits, _, - and ., not starting with a digit)"
    return None
