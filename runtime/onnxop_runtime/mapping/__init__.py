"""Mappings: functions of ``op`` and an operator's arguments that build ONNX nodes."""

from .problems import CodeSpan, MappingError, MappingProblem
from .values import is_dynamic, is_floating_point, rank
from .writing import rule_for_writer

__all__ = [
    "CodeSpan",
    "MappingError",
    "MappingProblem",
    "is_dynamic",
    "is_floating_point",
    "rank",
    "rule_for_writer",
]
