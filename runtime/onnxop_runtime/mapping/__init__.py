"""Mappings: functions of ``op`` and an operator's arguments that build ONNX nodes."""

from .placeholders import is_dynamic, is_floating_point, rank
from .problems import CodeSpan, MappingError, MappingProblem
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
