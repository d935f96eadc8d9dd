"""Existing operators, looked up in this process: PyTorch's, and those that imported modules
registered.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import torch

from ..messages import did_you_mean, join_words
from ..specs.op_schema import OpSchema
from ..specs.operator_lookup import MODULES, OperatorSchemas, add_unrequired, missing_in_aten
from ..specs.problems import Problems
from ..torch_internals import OpOverload, all_operators, is_dispatched, schema_text, schemas_of


def concerns(namespace: str, name: str, requires: Sequence[str]) -> bool:
    """Return whether an operator of that name may exist."""
    is_known = bool(requires) or namespace == "aten" or namespace in MODULES
    return is_known or bool(schemas_of(f"{namespace}::{name}"))


def find(
    namespace: str, name: str, text: str, requires: tuple[str, ...], problems: Problems
) -> OperatorSchemas | None:
    """Return PyTorch's schemas of the operator, or add a problem and return None."""
    for index, module in enumerate(requires):
        if module not in sys.modules:
            problems.add(("op", "requires", index), f"{module} is not imported; import it first")
    if problems.concern("op", "requires"):
        return None
    schemas = tuple(_schemas(namespace, name))
    if namespace in MODULES and not (requires or schemas):
        add_unrequired(namespace, name, text, problems)
        return None
    if namespace == "aten":
        why_missing = "" if schemas else missing_in_aten(name, _names("aten"))
        return OperatorSchemas(schemas, why_missing)
    why_missing = "" if schemas else _why_not_registered(namespace, name, requires)
    return OperatorSchemas(schemas, why_missing, may_be_new=True)


def _why_not_registered(namespace: str, name: str, requires: Sequence[str]) -> str:
    """Return that the required modules have no such operator, and what may be meant."""
    verb = "registers" if len(requires) == 1 else "register"
    fact = f"{join_words(requires)} {verb} no operator {namespace}::{name}"
    if hint := did_you_mean(name, _names(namespace)):
        return f"{fact}{hint}"
    return f"{fact}; for a new operator, write its arguments too: (Tensor a) -> Tensor"


def overload(schema: OpSchema) -> OpOverload:
    """Return the ``OpOverload`` of an existing operator."""
    packet = getattr(getattr(torch.ops, schema.namespace), schema.name)
    overload: OpOverload = getattr(packet, schema.overload or "default")
    return overload


def _schemas(namespace: str, name: str) -> Iterator[str]:
    """Yield the schemas of an operator's overloads; those of TorchScript alone are no overloads."""
    operators = getattr(torch.ops, namespace)
    packet = getattr(operators, name, None) if schemas_of(f"{namespace}::{name}") else None
    overloads = {*packet.overloads()} if packet is not None else set[str]()
    for schema in schemas_of(f"{namespace}::{name}"):
        is_overload = (schema.overload_name or "default") in overloads
        is_usable = is_overload and is_dispatched(schema.name, schema.overload_name)
        if is_usable and "Dimname" not in str(schema):
            yield schema_text(schema)


def _names(namespace: str) -> set[str]:
    """Return the names of a namespace's operators."""
    prefix = f"{namespace}::"
    full_names = {full.partition(".")[0] for full in all_operators() if full.startswith(prefix)}
    return {name.removeprefix(prefix) for name in full_names}
