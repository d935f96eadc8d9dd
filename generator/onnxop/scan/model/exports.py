"""The exports that a scan tries, and what both exporters trace with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[str], None]
"""Shows a step of the scan."""
TRACERS = {"dynamo": "torch.export", "TorchScript": "torch.jit.trace"}
"""The tracer of each exporter."""


@dataclass(frozen=True)
class Export:
    """An exporter, and the requested opset."""

    exporter: str
    opset: int

    @property
    def other(self) -> Export:
        """The other exporter, at the same opset."""
        return Export("TorchScript" if self.exporter == "dynamo" else "dynamo", self.opset)

    def __str__(self) -> str:
        return f"{self.exporter}, opset {self.opset}"
