"""What one export knows, and the export that is under way in this thread.

`export` makes an `ExportContext` and hands it on. PyTorch calls symbolics and kernels without it;
these ask `current_export`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

import torch

from . import registry
from .model import Operator

Size = int | str | None
"""A size: an integer, the name of a dynamic one, or None if the exporter does not know it."""
Sizes = tuple[Size, ...]


class KnownSizes(Protocol):
    """The sizes of tensors at each call of an operator."""

    def set_types(self, operator: Operator, values: Sequence[object]) -> None:
        """Set the sizes of the next converted call's tensors as the types of TorchScript's
        values.
        """

    def sizes_of(self, value: object) -> Sizes | None:
        """Return the sizes of a value of TorchScript that an operator has taken; None if they are
        unknown.
        """

    def at(self, operator: Operator, position: int) -> list[Sizes]:
        """Return the sizes of the tensors at a call of an operator; none if they are unknown."""

    def has_all_calls(self, operator: Operator, node_count: int) -> bool:
        """Return whether the sizes of all calls are known, of which the file has this many
        nodes.
        """

    def is_matched(self) -> bool:
        """Return whether the exporter converted all calls whose types were set."""


@dataclass
class ExportLog:
    """What the rules of an export record, for its later steps."""

    call_sizes: KnownSizes | None = None
    """The sizes of tensors at each call, for the TorchScript exporter, which knows none behind a
    node of a domain.
    """
    refusals: list[ValueError] = field(default_factory=list)
    """The errors that rules raised, in order."""
    written_by: dict[str, Operator] = field(default_factory=dict)
    """The operator that wrote the nodes of a domain, by ``domain::op_type``."""
    model_lines: dict[Operator, list[str]] = field(default_factory=dict)
    """The lines of the model that make nodes of a domain with the TorchScript exporter, in order of
    the calls.
    """
    calls: Counter[Operator] = field(default_factory=Counter)
    """The number of converted calls of each operator."""
    lost_writes: dict[str, set[str]] = field(default_factory=dict)
    """The arguments to which operators write, and which are inputs or buffers of the model, by
    operator.
    """
    writes_to_views: dict[str, set[str]] = field(default_factory=dict)
    """The arguments to which operators write, and which are views, by operator. PyTorch's
    TorchScript exporter loses such writes.
    """
    metadata: dict[str, str] = field(default_factory=dict)
    """The model's metadata on the exported operators."""
    fell_back_to_reference: dict[Operator, torch.dtype] = field(default_factory=dict)
    """The operators of which torch.export traced the reference implementation, as their kernels
    have no such dtype.
    """
    one_sided: str = ""
    """Where the trace of the TorchScript exporter is another one at other sizes; "" if not known."""
    fell_back_to_torchscript: bool = False
    """Whether the dynamo exporter, called with ``fallback=True``, has left the export to the
    TorchScript exporter.
    """

    def forget_calls(self) -> None:
        """Forget what was recorded of a trace, before another one."""
        self.model_lines.clear()
        self.calls.clear()


@dataclass(frozen=True, eq=False)
class ExportContext:
    """An export as its caller requests it, which does not change, and the log of its rules."""

    operators: Sequence[Operator]
    """The operators of the exporting package, which take precedence."""
    dynamo: bool
    """Whether the dynamo exporter writes the model, not the TorchScript exporter."""
    opset: int
    """The requested version of the default ONNX domain."""
    domains: Mapping[Operator, str] = field(default_factory=dict)
    """The requested domains of operators; "" for standard nodes. Others have their default
    domain.
    """
    function_bodies: bool = True
    """Whether nodes of custom domains get function bodies."""
    is_plain: bool = False
    """Whether `torch.onnx.export` was called, not `export`."""
    log: ExportLog = field(default_factory=ExportLog)

    def domain_of(self, operator: Operator) -> str:
        """Return an operator's domain in this export; "" for standard nodes."""
        return self.domains.get(operator, operator.default_domain)

    def written_nodes(self) -> list[Operator]:
        """Return the operators that were exported as nodes of a custom domain."""
        return [operator for operator in self.log.written_by.values() if self.domain_of(operator)]


_current: ContextVar[ExportContext | None] = ContextVar("onnxop_export", default=None)


def current_export() -> ExportContext | None:
    """Return the innermost export that is under way in this thread, or None."""
    return _current.get()


def current_or_plain(*, dynamo: bool, opset: int) -> ExportContext:
    """Return the export that is under way. If a rule is called outside of one, it is as in a plain
    export.
    """
    return current_export() or ExportContext((), dynamo, opset, is_plain=True)


@contextmanager
def as_current(context: ExportContext) -> Iterator[None]:
    """Make an export the current one for the duration of the block; exports in other threads
    wait.
    """
    with registry.lock:
        token = _current.set(context)
        try:
            yield
        finally:
            _current.reset(token)
