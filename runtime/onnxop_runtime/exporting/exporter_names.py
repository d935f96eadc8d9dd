"""What messages say of PyTorch's two exporters, by ``dynamo``."""

from __future__ import annotations

NAMES = {True: "the dynamo exporter", False: "the TorchScript exporter"}
_SHAPE = "compute with op.Shape(...) in the mapping"


def remedy_for_sizes(*, dynamo: bool, can_be_dynamo: bool = True) -> str:
    """Return the remedy for a mapping that computes with sizes which the exporter does not know.
    ``can_be_dynamo``: whether the dynamo exporter writes the operator.
    """
    if dynamo or not can_be_dynamo:
        return _SHAPE
    return f"export with dynamo=True, or {_SHAPE}"
