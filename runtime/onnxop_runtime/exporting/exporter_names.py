"""What messages say of PyTorch's two exporters, by ``dynamo``."""

from __future__ import annotations

NAMES = {True: "the dynamo exporter", False: "the TorchScript exporter"}
UNKNOWN_SIZES = {
    True: "compute with op.Shape(...) in the mapping",
    False: "export with dynamo=True, or compute with op.Shape(...) in the mapping",
}
"""The remedy for a mapping that computes with sizes which the exporter does not know."""
