"""Dotted names in a spec's code → whether it may use them, by the lists in `torchlists`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from onnxop_runtime.messages import did_you_mean

from . import torchlists as lists

FUNCTIONS, FUNCTIONAL, CONSTANTS = lists.FUNCTIONS, lists.FUNCTIONAL, lists.CONSTANTS
METHODS = lists.METHODS | frozenset({"cuda", "tolist", "xpu"})
"""The methods of tensors that return a result; `moving` refuses two of them."""
PROPERTIES = lists.PROPERTIES - lists.METHODS
"""The attributes of a tensor that are not methods."""

ATTRIBUTES = (
    lists.METHODS
    | lists.IN_PLACE
    | lists.PROPERTIES
    | lists.LIMITS
    | lists.RESULTS
    | lists.OF_PYTHON
)
"""The attributes of values: of tensors, functions' results, dtypes, lists, numbers and texts."""

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

_MOVING = frozenset({"cuda", "xpu"})
_ALIASES = {"F": "torch.nn.functional", "Tensor": "torch.Tensor"}
MODULE_PATHS = frozenset(
    {*lists.MEMBERS, "torch.nn", "torch.ops", "torch.ops.aten", "torch.signal", "torchvision"}
    - {"torch.Tensor"}
)
"""The modules on the way to the functions; none is a value."""
MODULES = frozenset(path.split(".")[1] for path in MODULE_PATHS if path.startswith("torch."))
"""The modules in torch whose functions a formula or a kernel may name."""
MEMBERS = lists.MEMBERS["torch"] | MODULES
"""The names of torch itself that a kernel's code may use."""
_OWN_NAMESPACES = frozenset(
    "c10d coor cuda debug_mode_ops debugprims export flex_gemm fsdp higher_order inductor "
    "inductor_prims mkl mkldnn mkldnn_prepacked onednn onnx onnx_symbolic prim prims profiler "
    "quantization quantized rngprims sparse static_runtime symm_mem".split()
)
"""The other namespaces of PyTorch's operators: they have no operator that a spec needs."""
_INNER = {
    "torch.nn": frozenset({"functional"}),
    "torch.signal": frozenset({"windows"}),
    "torchvision": frozenset({"ops"}),
}
"""The modules in modules that have no functions themselves."""


def reaching(name: str) -> str:
    """Return the message for a name in REACHING."""
    return f"{name} accesses the memory or graph of a tensor, or a file; use functions of torch"


def unfit_for_formula(name: str) -> str | None:
    """Return why a formula cannot call the name, or None."""
    if name in REACHING:
        return reaching(name)
    if name in lists.RANDOM or name == "gumbel_softmax":
        return f"{name} draws random numbers, which differ in each run; take them as an argument"
    return moving(name) if name in _MOVING else None


def moving(name: str) -> str:
    """Return the message for a call that moves a tensor to one device."""
    return f"{name} sets a device, which must be the arguments'; write x.to(y.device)"


def members(path: str) -> Collection[str] | None:
    """Return the names allowed in the torch module at the path; None for another module."""
    path = _full(path)
    if path == "torch":
        return MEMBERS
    return _INNER.get(path) or lists.MEMBERS.get(path)


def _full(path: str) -> str:
    root, dot, rest = path.partition(".")
    return f"{_ALIASES.get(root, root)}{dot}{rest}"


@cache  # a similar name is looked for among hundreds
def problem_with_value(attribute: str) -> str | None:
    """Return why a kernel may not use an attribute of a value, or None."""
    if attribute in ATTRIBUTES:
        return None
    if attribute.startswith("_"):
        return f"{attribute} is private; use PyTorch's public functions"
    if attribute in REACHING:
        return reaching(attribute)
    if attribute in _MOVING:
        return moving(attribute)
    hint = did_you_mean(attribute, ATTRIBUTES) or "; write a function of torch"
    return f"{attribute} is not a method or property that a spec's code may use{hint}"


def problem_with_chain(
    root: str, chain: Sequence[ast.Attribute], requires: Collection[str]
) -> tuple[ast.expr, str] | None:
    """Return the first wrong attribute in ``root.a.b``, where the root is a module, with the
    reason. The chain has the nodes of ``root.a`` and ``root.a.b``. ``requires`` are the modules of
    the spec.
    """
    path = root
    for index, node in enumerate(chain):
        if node.attr.startswith("_"):
            return node, f"{node.attr} is private; use PyTorch's public functions"
        if _full(path) == "torch.ops":
            return _problem_with_operator(chain[index:], requires)
        attributes = members(path)
        if attributes is None:
            return (
                node,
                f"no function of {path} is on the list; call its operators: torch.ops.{path}.f",
            )
        if node.attr not in attributes:
            return node, _unknown(path, node.attr, attributes)
        path = f"{path}.{node.attr}"
        if _full(path) not in MODULE_PATHS:
            return problem_with_attributes(path, chain[index + 1 :])
    return chain[-1], f"{path} alone is not a value; write one of its functions"


def _unknown(path: str, name: str, attributes: Collection[str]) -> str:
    if name in REACHING:
        return reaching(name)
    if name.endswith("_") and name[:-1] in attributes:
        return f"{path} has no {name} that a kernel may call; write {name[:-1]}"
    remedy = did_you_mean(name, attributes) or "; write another function of torch"
    return f"{path} has no {name} that a spec may use{remedy}"


def problem_with_attributes(
    path: str, chain: Sequence[ast.Attribute]
) -> tuple[ast.expr, str] | None:
    """Return the first wrong attribute of the value at a path."""
    is_class = _full(path) == "torch.Tensor"
    for node in chain:
        if is_class and node.attr.endswith("_") and node.attr[:-1] in METHODS:
            return node, _unknown(path, node.attr, METHODS)
        if problem := problem_with_value(node.attr):
            return node, problem
    return None


def _problem_with_operator(
    chain: Sequence[ast.Attribute], requires: Collection[str]
) -> tuple[ast.expr, str] | None:
    """Return what is wrong with ``torch.ops.<namespace>.<name>``, which may have an overload."""
    if private := next((node for node in chain if node.attr.startswith("_")), None):
        return private, f"{private.attr} is private; use PyTorch's public functions"
    path = ast.unparse(chain[-1])
    _namespace, *rest = chain
    if not rest:
        return chain[-1], f"{path} is not an operator; write e.g. torch.ops.aten.add"
    operator, *rest = rest
    if problem := problem_with_operator(ast.unparse(operator), requires):
        return operator, problem
    _overload, *beyond = rest or [operator]
    if beyond:
        return beyond[0], f"{path} is not an operator; write e.g. torch.ops.aten.add.Tensor"
    return None


def problem_with_operator(path: str, requires: Collection[str] = ()) -> str | None:
    """Return what is wrong with ``torch.ops.<namespace>.<name>``, or None."""
    _, _, namespace, name, *_ = [*path.split("."), "", ""]
    if not name:
        return f"{path} is not an operator; write e.g. torch.ops.aten.add"
    if name.endswith("_"):
        without = name.rstrip("_")
        is_known = namespace != "aten" or without in OPERATORS
        remedy = (
            f"torch.ops.{namespace}.{without}"
            if is_known
            else "an operator that returns a new tensor"
        )
        return f"{path} changes its tensor; write {remedy}"
    if namespace == "aten" and name not in OPERATORS:
        return f"{path} is not an operator without side effects; write another"
    if namespace != "aten" and (not requires or namespace in _OWN_NAMESPACES):
        return (
            f"{path} is not on the list; write an operator of torch.ops.aten, or of a module in "
            "requires"
        )
    return None


OPERATORS = (
    lists.ATEN
    | (lists.FUNCTIONS - lists.QUESTIONS)
    | lists.METHODS
    | lists.FUNCTIONAL
    | {f"special_{name}" for name in lists.SPECIAL}
    | {f"linalg_{name}" for name in lists.LINALG}
    | {f"fft_{name}" for name in lists.FFT}
)
"""The names in ``torch.ops.aten`` that a spec may use."""


def operators_table() -> str:
    """Return torchgen's table of PyTorch's own operators."""
    return _text("torchgen", "packaged", "ATen", "native", "native_functions.yaml")


@cache
def _text(package: str, *path: str) -> str:
    """Return a file of an installed package; empty if the package has no such file."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)
    file = Path(spec.submodule_search_locations[0]).joinpath(*path)
    return file.read_text(encoding="utf-8") if file.is_file() else ""
