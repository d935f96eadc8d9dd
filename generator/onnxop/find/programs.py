"""A ``.pt2`` file → the exported program in it."""

from __future__ import annotations

import importlib
import logging
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import OnnxopError, listed
from . import forks, torchops, trial

_NAMED = re.compile(r'"torch\.ops\.(\w+)\.(\w+)')


def load(name: str) -> Any:
    """The program in the file. What registers its operators, such as torchvision, is imported where it
    is known.

    Raises:
        OnnxopError: there is none, it has operators that nothing registers, or PyTorch cannot load it.
    """
    import torch

    if missing := list(_unregistered(_operators(name))):
        raise OnnxopError(
            f"{name}: calls {listed(missing)}, which nothing registers; name the module that does: "
            "--requires MODULE"
        )
    with forks.quiet(), _logged() as errors:
        try:
            return torch.export.load(name)
        except Exception as error:
            said = trial.said((errors or [error])[0])
            raise OnnxopError(
                f"{name}: torch.export.load raises {said}; save it again, by torch.export.save"
            ) from error


def _operators(name: str) -> list[tuple[str, str]]:
    """The operators that the program calls, by namespace and name."""
    try:
        with zipfile.ZipFile(name) as archive:
            graphs = [file for file in archive.namelist() if file.endswith(".json")]
            texts = [archive.read(file).decode("utf-8", "replace") for file in graphs]
    except (OSError, zipfile.BadZipFile):
        texts = []
    if not texts:
        raise OnnxopError(
            f"{name}: is no file that torch.export.save writes; give it one of torch.export.export's "
            "programs"
        )
    return sorted({(space, op) for text in texts for space, op in _NAMED.findall(text)})


def _unregistered(operators: Sequence[tuple[str, str]]) -> Iterator[str]:
    import torch

    for space, op in operators:
        for module in torchops.modules(space):
            with suppress(ImportError):
                importlib.import_module(module)
        if not hasattr(getattr(torch.ops, space), op):
            yield f"{space}::{op}"


@contextmanager
def _logged() -> Iterator[list[BaseException]]:
    """The exceptions that PyTorch logs while it loads, instead of raising them."""
    found: list[BaseException] = []

    def keep(record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1]:
            found.append(record.exc_info[1])
        return False

    log = logging.getLogger("torch.export")
    log.addFilter(keep)
    try:
        yield found
    finally:
        log.removeFilter(keep)
