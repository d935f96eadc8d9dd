"""A schema's text → the schema, by the runtime's parser; existing operators are looked up without torch."""

from __future__ import annotations

from collections.abc import Sequence

from onnxop_runtime.specs import signature
from onnxop_runtime.specs.arguments import UNKNOWN_TYPE, Argument
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.signature import OpSchema, outline, problem_with_names

from . import existing

__all__ = ["UNKNOWN_TYPE", "Argument", "OpSchema", "outline", "parse", "problem_with_names"]


def parse(
    text: str, problems: Problems, requires: Sequence[str] = (), given_name: str = ""
) -> OpSchema | None:
    """Return the schema in the text, or add its problems and return None, as the runtime's parser does."""
    return signature.parse(text, problems, existing, requires, given_name)
