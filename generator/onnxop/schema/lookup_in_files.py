"""Existing operators: PyTorch's own, and those that modules of `requires` register."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from onnxop_runtime.messages import did_you_mean, join_words
from onnxop_runtime.specs.operator_lookup import (
    MODULES,
    OperatorSchemas,
    add_unrequired,
    missing_in_aten,
)
from onnxop_runtime.specs.problems import Problems

from . import registry
from .torchnames import operators_table


def concerns(namespace: str, name: str, requires: Sequence[str]) -> bool:
    """Return whether an operator of that name may exist."""
    return bool(requires) or namespace == "aten" or namespace in MODULES


def find(
    namespace: str,
    name: str,
    text: str,
    requires: tuple[str, ...],
    problems: Problems,
    recorded: Mapping[str, Sequence[str]],
) -> OperatorSchemas | None:
    """Return PyTorch's schemas of the operator, or add a problem and return None.

    ``recorded`` has the schemas that a package recorded of an operator, by the spec's schema
    ``text``: for an unchanged text, the modules need not be installed.
    """
    if namespace in MODULES and not requires:
        add_unrequired(namespace, name, text, problems)
        return None
    registered = registry.Registered((), ())
    if requires and text in recorded:
        registered = registry.Registered(tuple(recorded[text]), ())
    elif requires:
        answer = registry.ask(f"{namespace}::{name}", requires)
        if isinstance(answer, registry.Failure):
            needed = (
                "; it is needed, as the package records no operator of this schema"
                if recorded
                else ""
            )
            problems.add(("op", "requires", answer.index), f"{answer.message}{needed}")
            return None
        registered = answer
    if namespace == "aten":
        schemas = aten_schemas(name)
        missing = "" if schemas else missing_in_aten(name, all_aten_schemas())
        return OperatorSchemas(schemas, missing)
    hint = did_you_mean(name, registered.names)
    hint = hint or "; for a new operator, write its arguments too: (Tensor a) -> Tensor"
    verb = "registers" if len(requires) == 1 else "register"
    missing = f"{join_words(requires)} {verb} no operator {namespace}::{name}{hint}"
    return OperatorSchemas(registered.schemas, missing, may_be_new=True)


def aten_schemas(name: str) -> tuple[str, ...]:
    """Return the schemas of PyTorch's own operator ``aten::<name>``, one per overload."""

    if in_table := all_aten_schemas().get(name):
        return in_table
    generated = re.findall(r"^  autogen: (.*\S)", operators_table(), re.MULTILINE)
    is_generated = name in ", ".join(generated).split(", ")  # by torchgen, from other operators
    return tuple(registry.schemas(f"aten::{name}")) if is_generated else ()


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
