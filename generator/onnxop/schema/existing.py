"""The operators that exist: PyTorch's own, and those that modules of `requires` register."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from ..errors import Problems, did_you_mean, listed
from ..words import facts
from . import registry
from .places import PATH
from .torchnames import operators_table

# Namespaces that other projects register operators in, with the modules that do.
MODULES = {
    "fbgemm": "fbgemm_gpu",
    **{
        name: name
        for name in (
            "torch_cluster",
            "torch_scatter",
            "torch_sparse",
            "torch_spline_conv",
            "torchao",
            "torchaudio",
            "torchvision",
        )
    },
}


@dataclass(frozen=True)
class Known:
    """What PyTorch knows of an operator: its schemas, and what is said where there are none."""

    schemas: tuple[str, ...]
    missing: str
    may_be_new: bool = False


def find(
    namespace: str, name: str, text: str, requires: tuple[str, ...], problems: Problems
) -> Known | None:
    """What PyTorch knows of the operator, or None once it is noted why that cannot be told."""
    if namespace in MODULES and not requires:
        problems.add(
            PATH,
            f"{namespace}::{name} is registered by {MODULES[namespace]}; add requires = "
            f'["{MODULES[namespace]}"] beside the schema',
            offset=text.index(namespace),
            length=len(namespace),
        )
        return None
    registered = registry.Found((), ())
    if requires:
        answer = registry.ask(f"{namespace}::{name}", requires)
        if isinstance(answer, registry.Failure):
            problems.add(("op", "requires", answer.index), answer.message)
            return None
        registered = answer
    if namespace == "aten":
        found = aten_schemas(name)
        missing = f"PyTorch has no operator aten::{name}"
        missing += "" if found else _nearest(name, namespace, all_aten_schemas())
        missing += "" if missing.endswith("?") else "."
        missing += " A new operator needs a namespace of your own, such as my_lib"
        return Known(found, missing)
    missing = f"{listed(requires)} {'registers' if len(requires) == 1 else 'register'} no operator "
    missing += f"{namespace}::{name}"
    near = _nearest(name, namespace, registered.names)
    missing += near or "; for a new operator, write its arguments too: (Tensor a) -> Tensor"
    return Known(registered.schemas, missing, may_be_new=True)


def _nearest(name: str, namespace: str, known: Iterable[str]) -> str:
    return did_you_mean(name, known).replace("mean ", f"mean {namespace}::")


def aten_schemas(name: str) -> tuple[str, ...]:
    """The schemas of PyTorch's own operator ``aten::<name>``, one an overload."""

    def look_up() -> list[str]:
        found = all_aten_schemas().get(name, ())
        return (
            list(found) if found or name not in _generated() else registry.schemas(f"aten::{name}")
        )

    return tuple(facts.ask(f"aten::{name}", look_up))


@cache
def all_aten_schemas() -> dict[str, tuple[str, ...]]:
    """The schemas of PyTorch's own operators by their base names, from torchgen's table."""
    found: dict[str, list[str]] = {}
    for line in re.findall(r"^- func: (.*\S)", operators_table(), re.MULTILINE):
        if "Dimname" in line:  # in PyTorch 2.10, and of no use in ONNX
            continue
        name = re.split(r"[.(]", line, maxsplit=1)[0]
        found.setdefault(name, []).append(with_numbers(f"aten::{line}"))
    return {name: tuple(schemas) for name, schemas in found.items()}


@cache
def _generated() -> frozenset[str]:
    """The operators that the table names alone, as torchgen makes them of others."""
    lines = re.findall(r"^  autogen: (.*\S)", operators_table(), re.MULTILINE)
    return frozenset(name for line in lines for name in line.split(", "))


def with_numbers(schema: str) -> str:
    """The schema with the default that torchgen's table alone writes as a name: at::Reduction's."""
    return schema.replace("=Mean", "=1")
