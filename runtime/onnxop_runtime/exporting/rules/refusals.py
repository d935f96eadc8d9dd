"""The errors of rules: they name the operator, and `export` raises them instead of the
exporter's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...operator.export_context import ExportContext
from ...operator.model import Operator
from ...torch_internals import set_onnx_log_enabled


@contextmanager
def recorded(operator: Operator, context: ExportContext) -> Iterator[None]:
    """Name the operator in a ValueError of the block, and record it in the export."""
    try:
        yield
    except ValueError as error:
        # torch.onnx.export switches the log of graphs on; `export` restores it at the end.
        set_onnx_log_enabled(False)
        refusal = error if str(operator) in str(error) else ValueError(f"{operator}: {error}")
        context.refusals.append(refusal)
        raise refusal from error.__cause__
