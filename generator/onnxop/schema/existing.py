"""Existing operators: PyTorch's own, and those that modules of `requires` register."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..errors import Problems, did_you_mean, listed
from . import facts, registry
from .parser import PATH
from .torchnames import operators_table

# Namespaces that other projects register operators in, with the modules that do.
_CALLED_ALIKE = "torch_cluster torch_scatter torch_sparse torch_spline_conv torchao torchaudio torchvision".split()
MODULES = {"fbgemm": "fbgemm_gpu", **{name: name for name in _CALLED_ALIKE}}


@dataclass(frozen=True)
class Known:
    """PyTorch's schemas of an operator, and the message if there are none."""

    schemas: tuple[str, ...]
    missing: str
    may_be_new: bool = False


def find(
    namespace: str, name: str, text: str, requires: tuple[str, ...], problems: Problems
) -> Known | None:
    """Return PyTorch's schemas of the operator, or add a problem and return None."""
    if namespace in MODULES and not requires:
        problems.add(
            PATH,
            f"{namespace}::{name} is registered by {MODULES[namespace]}; add requires = "
            f'["{MODULES[namespace]}"] to [op]',
            offset=text.index(namespace),
            length=len(namespace),
        )
        return None
    registered = registry.Registered((), ())
    if requires:
        answer = registry.ask(f"{namespace}::{name}", requires)
        if isinstance(answer, registry.Failure):
            problems.add(("op", "requires", answer.index), answer.message)
            return None
        registered = answer
    if namespace == "aten":
        schemas = aten_schemas(name)
        hint = "" if schemas else did_you_mean(name, all_aten_schemas())
        missing = f"PyTorch has no operator aten::{name}{hint or '.'} A new operator needs a "
        return Known(schemas, f"{missing}namespace of your own, such as my_lib")
    hint = did_you_mean(name, registered.names)
    hint = hint or "; for a new operator, write its arguments too: (Tensor a) -> Tensor"
    verb = "registers" if len(requires) == 1 else "register"
    missing = f"{listed(requires)} {verb} no operator {namespace}::{name}{hint}"
    return Known(registered.schemas, missing, may_be_new=True)


def aten_schemas(name: str) -> tuple[str, ...]:
    """Return the schemas of PyTorch's own operator ``aten::<name>``, one per overload."""

    def look_up() -> list[str]:
        if in_table := all_aten_schemas().get(name):
            return [*in_table]
        generated = re.findall(r"^  autogen: (.*\S)", operators_table(), re.MULTILINE)
        is_generated = name in ", ".join(generated).split(", ")  # by torchgen, from other operators
        return registry.schemas(f"aten::{name}") if is_generated else []

    return tuple(facts.ask(f"aten::{name}", look_up))


@cache
def all_aten_schemas() -> dict[str, tuple[str, ...]]:
    """Return the schemas of PyTorch's own operators by base name, from torchgen's table."""
    by_name: dict[str, list[str]] = {}
    for line in re.findall(r"^- func: (.*\S)", operators_table(), re.MULTILINE):
        if "Dimname" in line:  # in PyTorch 2.10; ONNX has no named dimensions
            continue
        name = re.split(r"[.(]", line, maxsplit=1)[0]
        # Only the table names at::Reduction::Mean; schemas have its value.
        by_name.setdefault(name, []).append(f"aten::{line}".replace("=Mean", "=1"))
    return {name: tuple(schemas) for name, schemas in by_name.items()}
