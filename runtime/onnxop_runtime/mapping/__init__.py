"""Mappings: functions of ``op`` and an operator's arguments that build ONNX nodes."""

from .problems import MappingError, Problem, Span
from .values import is_dynamic, is_floating_point, rank
from .writing import rule

__all__ = ["MappingError", "Problem", "Span", "is_dynamic", "is_floating_point", "rank", "rule"]
