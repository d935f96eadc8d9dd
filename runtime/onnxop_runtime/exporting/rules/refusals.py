"""The errors of rules: they name the operator and the model's line, and `export` raises them
instead of the exporter's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...operator.export_context import ExportContext
from ...operator.model import Operator
from ...torch_internals import set_onnx_log_enabled
from ..model_lines import named, with_line


@contextmanager
def recorded(
    operator: Operator, context: ExportContext, line: Callable[[], str] = str
) -> Iterator[None]:
    """Name the operator and the line of its call in a ValueError of the block, and record it in the
    export.
    """
    try:
        yield
    except ValueError as error:
        # torch.onnx.export switches the log of graphs on; `export` restores it at the end.
        set_onnx_log_enabled(False)
        message = with_line(named(operator, str(error)), line())
        refusal = error if message == str(error) else ValueError(message)
        context.log.refusals.append(refusal)
        raise refusal from error.__cause__
