"""The names of PyTorch's that a spec's code may have, read from its files: torch is not imported.

They are those of functions: no module behind them, nothing that writes to a tensor, to a file or to
what PyTorch is set to. Of PyTorch's own operators their schemas say so; of what Python alone defines,
the names are listed here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
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
"""The attributes of a tensor that are no methods."""

LEAVING = frozenset("allclose equal is_nonzero item numpy tolist".split())
"""Functions and methods that make Python's values of a tensor's: no gradient comes through."""

REACHING = frozenset(
    """
    apply_ backward data data_ptr dump dumps from_file from_numpy frombuffer grad_fn load
    load_state_dict map2_ map_ module_load numpy register_hook
    register_post_accumulate_grad_hook retain_grad save set_ share_memory_ storage untyped_storage
    """.split()
)
"""Attributes that reach the memory behind a tensor, the graph around it, or files."""


_DRAWING = frozenset(
    "alpha_dropout bernoulli binomial dropout feature_alpha_dropout feature_dropout gumbel_softmax "
    "multinomial native_dropout normal poisson rand rand_like randint randint_like randn randn_like "
    "randperm rrelu".split()
)
_MOVING = frozenset({"cuda", "xpu"})


def reaching(word: str) -> str:
    """What to say of one of these."""
    return f"{word} reaches behind a tensor, or for a file; write it with functions of torch"


def unfit_for_formula(word: str) -> str | None:
    """Why no formula can call this."""
    if word in REACHING:
        return reaching(word)
    if word in _DRAWING:
        return f"{word} draws random numbers, which no other run has; take them as an argument"
    return moving(word) if word in _MOVING else None


def moving(word: str) -> str:
    """What to say of what moves a tensor to one device."""
    return f"{word} chooses a device, which is the arguments' to choose; write x.to(y.device)"


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
    """A set of names: whether one is in it is a question that the package keeps the answer to."""

    def __init__(self, what: str, find: Callable[[], frozenset[str]]) -> None:
        self._what, self._find = what, find

    def __contains__(self, name: object) -> bool:
        question = f"{name} is {self._what}"
        return bool(facts.ask(question, lambda: name in self._find()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._find())

    def __len__(self) -> int:
        return len(self._find())


@cache
def _functions() -> frozenset[str]:
    text = _text("torch", "_C", "_VariableFunctions.pyi") + _text("torch", "functional.py")
    found = _found(r"^(?:    )?def ([a-z]\w*)\(", text)
    return (found & _operators()) | _PYTHON_FUNCTIONS


@cache
def _methods() -> frozenset[str]:
    stub = _text("torch", "_C", "__init__.pyi")
    start = stub.find("class TensorBase")
    end = stub.find("\nclass ", start + 1)
    found = _found(r"^    def ([a-z]\w*)\(", stub[start:end] + _text("torch", "_tensor.py"))
    return (found & (_operators() | _PYTHON_METHODS)) - {"data", "retain_grad"}


@cache
def _functional() -> frozenset[str]:
    found = _found(r"^(?:def )?([a-z]\w*)(?:\(| = )", _text("torch", "nn", "functional.py"))
    return frozenset(name for name in found if not name.endswith("_"))


@cache
def _operators() -> frozenset[str]:
    """PyTorch's own operators that give a result and change nothing."""
    pure: set[str] = set()
    for schema in re.findall(r"^- func: (.*\S)", operators_table(), re.MULTILINE):
        arguments, _, returned = schema.partition(" -> ")
        name = re.split("[.(]", arguments, maxsplit=1)[0]
        is_pure = "!" not in arguments and "str filename" not in arguments and returned != "()"
        if is_pure and not name.endswith("_"):
            pure.add(name)
    return frozenset(pure)


def operators_table() -> str:
    """torchgen's table of PyTorch's own operators."""
    return _text("torchgen", "packaged", "ATen", "native", "native_functions.yaml")


def _of_module(prefix: str) -> Callable[[], frozenset[str]]:
    """The functions of ``torch.linalg``, say: the operators are called ``linalg_<name>``."""

    def find() -> frozenset[str]:
        own = (name for name in _operators() if name.startswith(f"{prefix}_"))
        return frozenset(name.removeprefix(f"{prefix}_") for name in own)

    return find


def _found(pattern: str, text: str) -> frozenset[str]:
    return frozenset(re.findall(pattern, text, re.MULTILINE))


FUNCTIONS = KnownNames("a function of torch", _functions)
METHODS = KnownNames("a method of Tensor", _methods)
FUNCTIONAL = KnownNames("a function of torch.nn.functional", _functional)

_MODULES: dict[str, Collection[str]] = {
    **{
        f"torch.{name}": KnownNames(f"a function of torch.{name}", _of_module(name))
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
"""What the code of a kernel may name of torch itself."""


def members(path: str) -> Collection[str] | None:
    """What may be named of torch's module at the path, None where that is no such module."""
    return _MODULES.get(path)


def problem_with_operator(path: str) -> str | None:
    """What is wrong with ``torch.ops.<namespace>.<name>``, or with the beginning of one."""
    _, _, *words = path.split(".")
    if len(words) < 2:
        is_function = words and words[0] in ("import_module", "load_library", "loaded_libraries")
        return f"{path} is no operator; write torch.ops.aten.add, say" if is_function else None
    if words[1].endswith("_"):
        return f"{path} changes its tensor; write {path.rstrip('_')}"
    if words[0] == "aten" and words[1] not in OPERATORS:
        return f"{path} is no operator that gives a result and changes nothing; write another"
    return None


OPERATORS = KnownNames("an operator of PyTorch's that changes nothing", _operators)


@cache
def _text(package: str, *path: str) -> str:
    """A file of a package that is installed; empty where it has none of that name."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)
    file = Path(spec.submodule_search_locations[0]).joinpath(*path)
    return file.read_text(encoding="utf-8") if file.is_file() else ""
