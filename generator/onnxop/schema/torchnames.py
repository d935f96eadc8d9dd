"""PyTorch's names that a spec's code may use. They are read from its files, without an import of torch.

They are pure functions: none writes to a tensor, a file or PyTorch's settings. The schemas of PyTorch's
own operators tell which are pure; for functions defined in Python, this module lists the names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path

from . import facts

CONSTANTS = frozenset(
    "pi e inf nan newaxis float16 bfloat16 float32 float64 float double half int8 int16 int32 int64 "
    "int long short uint8 uint16 uint32 uint64 bool complex32 complex64 complex128 cfloat cdouble "
    "strided contiguous_format preserve_format channels_last channels_last_3d".split()
)

PROPERTIES = frozenset(
    "T H mT mH shape dtype device layout ndim real imag itemsize nbytes is_cpu is_cuda requires_grad".split()
)
"""The attributes of a tensor that are not methods."""

LEAVING = frozenset("allclose equal is_nonzero item numpy tolist".split())
"""Functions and methods that make Python values from a tensor: autograd cannot trace them."""

REACHING = frozenset(
    """
    apply_ backward data data_ptr dump dumps from_file from_numpy frombuffer grad_fn load
    load_state_dict map2_ map_ module_load numpy register_hook
    register_post_accumulate_grad_hook retain_grad save set_ share_memory_ storage untyped_storage
    """.split()
)
"""Attributes that access the memory behind a tensor, the graph around it, or files."""

_DRAWING = frozenset(
    "alpha_dropout bernoulli binomial dropout feature_alpha_dropout feature_dropout gumbel_softmax "
    "multinomial native_dropout normal poisson rand rand_like randint randint_like randn randn_like "
    "randperm rrelu".split()
)
_MOVING = frozenset({"cuda", "xpu"})


def reaching(name: str) -> str:
    """Return the message for a name in REACHING."""
    return f"{name} accesses the memory or graph of a tensor, or a file; use functions of torch"


def unfit_for_formula(name: str) -> str | None:
    """Return why a formula cannot call the name, or None."""
    if name in REACHING:
        return reaching(name)
    if name in _DRAWING:
        return f"{name} draws random numbers, which differ in each run; take them as an argument"
    return moving(name) if name in _MOVING else None


def moving(name: str) -> str:
    """Return the message for a call that moves a tensor to one device."""
    return f"{name} sets a device, which must be the arguments'; write x.to(y.device)"


_CLASSES = frozenset(
    "Tensor Size Generator device dtype layout memory_format finfo iinfo no_grad enable_grad "
    "set_grad_enabled inference_mode autocast SymInt SymFloat SymBool".split()
)
_PYTHON_FUNCTIONS = frozenset(
    "as_tensor asarray broadcast_shapes get_default_dtype get_device is_grad_enabled "
    "is_inference_mode_enabled is_tensor lu numel pca_lowrank svd_lowrank sym_float sym_int sym_ite "
    "sym_max sym_min sym_not sym_sqrt sym_sum tensor typename unique unique_consecutive "
    "unravel_index vmap".split()
)
_PYTHON_METHODS = frozenset(
    "bfloat16 bool byte char cpu cuda dim_order double element_size float half int is_shared long "
    "ndimension nelement new_tensor numel short size stride tolist numpy to_sparse_coo type unique "
    "unique_consecutive xpu".split()
)


class KnownNames(Collection[str]):
    """A set of names; each membership test is a question whose answer the package records."""

    def __init__(self, description: str, find: Callable[[], frozenset[str]]) -> None:
        self._description, self._find = description, find

    def __contains__(self, name: object) -> bool:
        return bool(facts.ask(f"{name} is {self._description}", lambda: name in self._find()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._find())

    def __len__(self) -> int:
        return len(self._find())


@cache
def _functions() -> frozenset[str]:
    text = _text("torch", "_C", "_VariableFunctions.pyi") + _text("torch", "functional.py")
    return (_matches(r"^(?:    )?def ([a-z]\w*)\(", text) & _operators()) | _PYTHON_FUNCTIONS


@cache
def _methods() -> frozenset[str]:
    stub = _text("torch", "_C", "__init__.pyi")
    start = stub.find("class TensorBase")
    end = stub.find("\nclass ", start + 1)
    names = _matches(r"^    def ([a-z]\w*)\(", stub[start:end] + _text("torch", "_tensor.py"))
    return (names & (_operators() | _PYTHON_METHODS)) - {"data", "retain_grad"}


@cache
def _functional() -> frozenset[str]:
    names = _matches(r"^(?:def )?([a-z]\w*)(?:\(| = )", _text("torch", "nn", "functional.py"))
    return frozenset(name for name in names if not name.endswith("_"))


@cache
def _operators() -> frozenset[str]:
    """Return PyTorch's own operators that return a result and have no side effects."""
    pure: set[str] = set()
    for schema in re.findall(r"^- func: (.*\S)", operators_table(), re.MULTILINE):
        arguments, _, returned = schema.partition(" -> ")
        name = re.split("[.(]", arguments, maxsplit=1)[0]
        is_pure = "!" not in arguments and "str filename" not in arguments and returned != "()"
        if is_pure and not name.endswith("_"):
            pure.add(name)
    return frozenset(pure)


def operators_table() -> str:
    """Return torchgen's table of PyTorch's own operators."""
    return _text("torchgen", "packaged", "ATen", "native", "native_functions.yaml")


def _of_module(prefix: str) -> frozenset[str]:
    """Return ``torch.<prefix>``'s functions, which are operators named ``<prefix>_<name>``."""
    own = (name for name in _operators() if name.startswith(f"{prefix}_"))
    return frozenset(name.removeprefix(f"{prefix}_") for name in own)


def _matches(pattern: str, text: str) -> frozenset[str]:
    return frozenset(re.findall(pattern, text, re.MULTILINE))


FUNCTIONS = KnownNames("a function of torch", _functions)
METHODS = KnownNames("a method of Tensor", _methods)
FUNCTIONAL = KnownNames("a function of torch.nn.functional", _functional)

_MODULES: dict[str, Collection[str]] = {
    **{
        f"torch.{name}": KnownNames(f"a function of torch.{name}", partial(_of_module, name))
        for name in ("special", "linalg", "fft")
    },
    "Tensor": METHODS,
    "torch.Tensor": METHODS,
    "torch.amp": frozenset({"autocast"}),
    "torch.autograd": frozenset({"grad"}),
    "torch.compiler": frozenset({"is_compiling", "is_dynamo_compiling", "is_exporting"}),
    "torch.func": frozenset(
        "functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize vjp vmap".split()
    ),
    "torch.jit": frozenset({"is_scripting", "is_tracing"}),
    "torch.nn": frozenset({"functional"}),
    "torch.nn.functional": FUNCTIONAL,
    "torch.onnx": frozenset({"is_in_onnx_export"}),
    "torch.signal": frozenset({"windows"}),
    "torch.signal.windows": frozenset(
        "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann "
        "kaiser nuttall".split()
    ),
    "torch.sparse": frozenset({"addmm", "log_softmax", "mm", "softmax", "sum"}),
}
MODULES = frozenset(path.split(".")[1] for path in _MODULES if "." in path) | {"ops"}
"""The modules of functions that a formula or a kernel may name."""


MEMBERS = KnownNames("a member of torch", lambda: _functions() | CONSTANTS | _CLASSES | MODULES)
"""The names of torch itself that a kernel's code may use."""


def members(path: str) -> Collection[str] | None:
    """Return the names allowed in the torch module at the path; None for another module."""
    return _MODULES.get(path)


def problem_with_operator(path: str) -> str | None:
    """Return what is wrong with ``torch.ops.<namespace>.<name>``, or a prefix of it."""
    _, _, *parts = path.split(".")
    if len(parts) < 2:
        is_function = parts and parts[0] in ("import_module", "load_library", "loaded_libraries")
        return f"{path} is not an operator; write e.g. torch.ops.aten.add" if is_function else None
    if parts[1].endswith("_"):
        return f"{path} changes its tensor; write {path.rstrip('_')}"
    if parts[0] == "aten" and parts[1] not in OPERATORS:
        return f"{path} is not an operator without side effects; write another"
    return None


OPERATORS = KnownNames("an operator of PyTorch's that changes nothing", _operators)


@cache
def _text(package: str, *path: str) -> str:
    """Return a file of an installed package; empty if the package has no such file."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)
    file = Path(spec.submodule_search_locations[0]).joinpath(*path)
    return file.read_text(encoding="utf-8") if file.is_file() else ""
