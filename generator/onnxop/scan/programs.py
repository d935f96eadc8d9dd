"""A ``.pt2`` file → the exported program in it."""

from __future__ import annotations

import importlib
import logging
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ..errors import OnnxopError, listed
from ..find import torchops
from ..trial import forks
from ..trial.outcome import said
from . import untrusted

_NAMED = re.compile(r'"torch\.ops\.(\w+)\.(\w+)')


def load(name: str, *, is_trusted: bool = False) -> Any:
    """The program in the file. What registers its operators, such as torchvision, is imported where it
    is known. ``is_trusted``: what the file holds may run.

    Raises:
        OnnxopError: there is none, it has operators that nothing registers, PyTorch cannot load it, or
            would run code of it.
    """
    import torch

    found = _records(name)
    if not is_trusted and (what := untrusted.code_in(found)):
        raise _distrust(name, what)
    if missing := list(_unregistered(_operators(found))):
        raise OnnxopError(
            f"{name}: calls {listed(missing)}, which nothing registers; name the module that does: "
            "--requires MODULE"
        )
    with (
        forks.quiet(),
        _logged() as errors,
        untrusted.pickles(are_refused=not is_trusted) as refused,
    ):
        try:
            program = torch.export.load(name)
        except Exception as error:
            if not refused:
                why = said((errors or [error])[0])
                raise OnnxopError(
                    f"{name}: torch.export.load raises {why}; save it again, by torch.export.save"
                ) from error
    if refused:
        raise _distrust(name, f"a pickled {refused[0]}")
    return program


def _distrust(name: str, what: str) -> OnnxopError:
    return OnnxopError(
        f"{name}: holds {what}, which may do whatever you may; give --trust where you know who made "
        "the file"
    )


def _records(name: str) -> dict[str, bytes]:
    try:
        found = untrusted.records(name)
    except (OSError, zipfile.BadZipFile):
        found = {}
    if not any(each.endswith(".json") for each in found):
        raise OnnxopError(
            f"{name}: is no file that torch.export.save writes; give it one of torch.export.export's "
            "programs"
        )
    return found


def _operators(found: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """The operators that the program calls, by namespace and name."""
    texts = [data.decode("utf-8", "replace") for data in found.values()]
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
