"""The results that a mapping leaves out: placeholders, which the model may not use."""

from __future__ import annotations

from typing import Any

from ...operator.model import Operator
from .onnxscript_ops import onnxscript_op

_DOMAIN = "onnxop.left_out"


def placeholder(operator: Operator, name: str) -> Any:
    """Return a placeholder for a result that the mapping leaves out: a node that `check_unused`
    removes.
    """
    op = onnxscript_op(_DOMAIN, f"{operator.short_name}__{name}", 1, [], [name], [])
    return op()


def error(operator: object, name: str) -> ValueError:
    """Return the error for a model that uses a result of an operator."""
    return ValueError(
        f"the model uses result {name} of {operator}, but the mapping leaves it out; use only the "
        f"other results, or return {name} from the spec's mapping, too"
    )


def check_unused(model: Any) -> None:
    """Remove the placeholders of `placeholder` from a model; raise ValueError if it uses one."""
    used = {value for node in model.graph.all_nodes() for value in node.inputs}
    used |= set(model.graph.outputs)
    for node in [n for n in model.graph.all_nodes() if n.domain == _DOMAIN]:
        if any(output in used for output in node.outputs):
            operator, _, name = node.op_type.partition("__")
            raise error(operator, name)
        model.graph.remove(node)
    model.graph.opset_imports.pop(_DOMAIN, None)
