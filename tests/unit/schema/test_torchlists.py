"""The lists of what a spec's code may use: each name is PyTorch's, and no name is a module or a
sink.
"""

from __future__ import annotations

import re
import types
from pkgutil import resolve_name
from typing import Any

import pytest
import torch
import torch.overrides
import torch.signal.windows

from onnxop.schema import torchlists as lists
from onnxop.schema import torchnames

OVERRIDABLE: dict[Any, list[Any]] = torch.overrides.get_overridable_functions()
IGNORED = torch.overrides.get_ignored_functions()
HARMFUL = re.compile(
    r"load|save|file|numpy|buffer|storage|data|ptr|hook|apply|map|^set|share|cuda|script|compile$|trace_|"
    r"module|register|manual|seed|thread|print|library|backward$|pin_|memory$|pickle|dump|import"
)
"""Words in names of functions that reach files, processes, memory or settings."""
FINE = frozenset("is_cuda is_scripting setdefault storage_offset vmap".split())


def attribute(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(resolve_name(module.replace("torch.Tensor", "torch:Tensor")), name)


@pytest.mark.parametrize("path", lists.MEMBERS)
def test_members_exist_and_are_no_modules(path: str) -> None:
    for name in lists.MEMBERS[path]:
        assert not isinstance(attribute(f"{path}.{name}"), types.ModuleType), name


def names_of(module: Any) -> set[str]:
    """Return the names of the functions of a module that take tensors, by `torch.overrides`."""
    overridable = {id(function) for function in OVERRIDABLE[module]}
    return {name for name in dir(module) if id(getattr(module, name)) in overridable}


@pytest.mark.parametrize(
    ("module", "names"),
    [
        (
            torch,
            lists.FUNCTIONS_OF_TENSORS | lists.RANDOM - {"rand", "randn", "randint", "randperm"},
        ),
        (torch.nn.functional, lists.FUNCTIONAL),
        (torch.special, lists.SPECIAL),
        (torch.linalg, lists.LINALG),
        (torch.fft, lists.FFT),
    ],
)
def test_functions_take_tensors(module: Any, names: frozenset[str]) -> None:
    """Check the lists by `torch.overrides`; what it lacks is an operator by PyTorch's schemas."""
    others = names - names_of(module)
    prefix = "" if module in (torch, torch.nn.functional) else f"{module.__name__[6:]}_"
    assert not {name for name in others if not is_pure(f"{prefix}{name}") and name not in DEFINED}


DEFINED = frozenset(
    "grouped_mm logsigmoid lu pca_lowrank scaled_addmm scaled_grouped_mm scaled_mm svd_lowrank unique upsample "
    "upsample_bilinear upsample_nearest".split()
)
"""Functions of tensors, read by hand, that neither `torch.overrides` nor a schema has."""


def is_pure(name: str) -> bool:
    """Return whether an overload of an operator returns something, changes nothing, and takes no
    file.
    """
    name = {"gumbel_softmax": "softmax"}.get(name, name)
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}"):
        arguments: list[Any] = schema.arguments
        changes = any(a.alias_info is not None and a.alias_info.is_write for a in arguments)
        if not changes and schema.returns and not any(a.name == "filename" for a in arguments):
            return True
    return False


def test_factories_take_no_tensors() -> None:
    """Check them by what `torch.overrides` ignores: functions without tensors that it could
    override.
    """
    known = {getattr(function, "__name__", "") for function in IGNORED} | names_of(torch)
    assert lists.FACTORIES <= known


def test_operators_are_pure() -> None:
    assert [name for name in sorted(lists.ATEN) if not is_pure(name)] == []


def test_methods_are_of_tensors() -> None:
    for name in lists.METHODS | lists.IN_PLACE | lists.PROPERTIES:
        assert hasattr(torch.Tensor, name) or hasattr(torch.dtype, name), name


def test_no_name_is_a_sink() -> None:
    every = torchnames.ATTRIBUTES.union(*lists.MEMBERS.values())
    assert {name for name in every if HARMFUL.search(name)} == FINE & every
    assert not torchnames.REACHING & every
