"""What is offered for an operator: a spec, or a reason."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from ..errors import OnnxopError

NAMESPACE = "my_lib"
"""Of an operator that PyTorch lacks, and of a node that ONNX lacks; for the user to rename."""


class NoStarterError(OnnxopError):
    """No spec can be written for the operator; the text says why."""


@dataclass(frozen=True)
class Written:
    """A spec's text.

    Attributes:
        op: ``namespace::name``.
        text: the spec.
        origin: ``gallery``; or what a starter proposes: ``mapping``, ``decomposed``, ``kernel``,
            ``node``, ``bare``; or ``own``, of the user's.
        is_proved: whether it was tried, and gave PyTorch's values.
        is_called: whether PyTorch takes its samples.
        is_needed: whether one of PyTorch's exporters does not write them right by itself.
    """

    op: str
    text: str
    origin: str
    is_proved: bool
    is_called: bool = True
    is_needed: bool = True

    @property
    def is_pure(self) -> bool:
        """Whether it needs no compiler, so that it can be tried by registering it."""
        kernel = tomllib.loads(self.text).get("kernel")
        return kernel is None or "python" in kernel

    @property
    def file(self) -> str:
        """What to call it: by the name that the package has for it."""
        name = tomllib.loads(self.text)["op"].get("name")
        return f"{name or self.op.partition('::')[2].replace('.', '_').lstrip('_')}.toml"
