"""Which opsets of the default ONNX domain each exporter writes.

Measured with torch 2.15: the TorchScript exporter ends at 23. The dynamo exporter builds every
graph at 18 and converts it upward; asked for less, it returns 18 without a word.
"""

from __future__ import annotations

TORCHSCRIPT = range(9, 24)
DYNAMO = range(18, 26)
LOWEST = min(TORCHSCRIPT.start, DYNAMO.start)
HIGHEST = max(TORCHSCRIPT.stop, DYNAMO.stop) - 1


def since(opsets: range, first: int, last: int) -> range:
    """The part of an exporter's opsets from ``first`` to ``last``, both included."""
    return range(max(opsets.start, first), min(opsets.stop, last + 1))
