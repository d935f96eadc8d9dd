"""[onnx] → the mapping as it is written; also checks the operator as one node."""

from __future__ import annotations

from onnxop_runtime.specs.document import Document

from .draft import Draft
from .model import LEFT_OUT, OnnxMapping


def mapping_of(document: Document) -> OnnxMapping:
    """Return the mapping; empty for a decomposition, or for a plugin's node."""
    table = document.onnx
    if table.mapping is not None:
        return OnnxMapping(text=table.mapping, opset=table.opset or 0, dynamo=table.dynamo)
    if decomposed := table.decomposed:
        needs = () if isinstance(decomposed, bool) else tuple(decomposed)
        return OnnxMapping(is_decomposed=True, needs=needs)
    return OnnxMapping()


def check_can_be_node(draft: Draft) -> None:
    """Add a problem if the mapping's results or list inputs cannot be those of one node."""
    schema, domain = draft.schema, draft.document.onnx.domain
    if schema is None or not domain:
        return
    why = ""
    if schema.returns_list:
        why = "a node has a fixed number of outputs, but the operator returns a list"
    elif any(tensor.is_list for tensor in schema.tensors[:-1]):
        why = "a list of tensors can only be the last input of a node"
    elif LEFT_OUT in draft.mapping.element_types:
        why = "the mapping leaves out results, but a node must have all of them"
    if why:
        remedy = "remove the domain, for standard nodes"
        draft.problems.add(("onnx", "domain"), f"{why}; {remedy}", on_key=True)
