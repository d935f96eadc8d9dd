"""PyTorch's schema of an operator: parsed, checked and, for an existing operator, looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from onnxop_runtime.specs import signature
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.operator_lookup import OperatorSchemas
from onnxop_runtime.specs.problems import Problems

from . import lookup_in_files

_NOTHING: Mapping[str, Sequence[str]] = {}


class _Existing:
    """The existing operators, with the schemas that a package recorded; it keeps those that it
    returned.
    """

    def __init__(self, recorded: Mapping[str, Sequence[str]]) -> None:
        self._recorded = recorded
        self.registered: tuple[str, ...] = ()

    def concerns(self, namespace: str, name: str, requires: Sequence[str]) -> bool:
        return lookup_in_files.concerns(namespace, name, requires)

    def find(
        self, namespace: str, name: str, text: str, requires: tuple[str, ...], problems: Problems
    ) -> OperatorSchemas | None:
        answer = lookup_in_files.find(namespace, name, text, requires, problems, self._recorded)
        self.registered = answer.schemas if answer and requires else ()
        return answer


def parse(
    text: str,
    problems: Problems,
    requires: Sequence[str] = (),
    given_name: str = "",
    recorded: Mapping[str, Sequence[str]] = _NOTHING,
) -> OpSchema | None:
    """Return the schema in the text, or add its problems and return None, as the runtime's parser
    does.

    ``recorded`` has the schemas that the modules of ``requires`` registered when a package was
    made, by the texts of its specs' schemas.
    """
    operators = _Existing(recorded)
    schema = signature.parse(text, problems, operators, requires, given_name)
    return schema and replace(schema, registered=operators.registered)
