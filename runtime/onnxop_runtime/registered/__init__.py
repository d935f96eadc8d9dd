"""Specs without a package: rules for existing PyTorch operators, from a file, a folder or a text.

Specs are read as ``onnxop check`` reads them; no module that they name is imported. A spec with a
``[kernel]`` needs a package, which ``onnxop new`` generates.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..exporting import registration
from ..operator import composed, registry
from ..operator.model import Operator, Origin
from ..specs.problems import SpecError, SpecProblem
from ..specs.reading import NO_SPEC, Reading, read_file, read_text, specs_in, specs_of
from .operators import made_of

__all__ = ["SpecError", "register", "register_gallery", "register_trusted", "unregister"]

Source = str | os.PathLike[str]


def register(source: Source) -> list[Operator]:
    """Register the rules of specs with both exporters in this process.

    `torch.onnx.export` and `onnxop_runtime.export` use them from then on. A spec replaces an
    earlier one for the operator, but not a package's rule. Results are not compared with PyTorch;
    ``onnxop check`` does that.

    Args:
        source: the path of a spec or of a folder of specs, or the text of a spec, in several lines.

    Returns:
        The operators, for `unregister`.

    Raises:
        SpecError: a spec is invalid, or needs a package, or a module that is not imported. Nothing
            is registered then.
        TypeError: the source is neither a path nor a text.
    """
    return _register(_made(_readings(source)))


def unregister(operators: Iterable[Operator] | Operator) -> None:
    """Remove operators that `register` returned: the exporters use their former rules again.
    Operators that are removed already are ignored.

    Raises:
        TypeError: an operator was not returned by `register`.
    """
    registered: list[Any] = [operators]
    if isinstance(operators, Iterable) and not isinstance(operators, str | bytes | Mapping):
        registered = [*operators]
    for operator in registered:
        if not isinstance(operator, Operator) or operator.origin is not Origin.REGISTERED:
            raise TypeError(
                f"unregister takes the operators that register returned, not {operator!r}"
            )
    with registry.lock:
        registration.unregister(registered)


def register_gallery(folder: Path) -> list[Operator]:
    """Register the gallery's specs, which are part of this runtime. Mappings are compiled at first
    use.
    """
    readings = [read_file(file) for file in specs_in(folder)]
    return _register(_made(readings, Origin.GALLERY, is_trusted=True, is_lazy=True))


def register_trusted(texts: Sequence[str]) -> list[Operator]:
    """Register specs from a trusted source. Their kernels may be composed of PyTorch's operators;
    such operators stay defined in this process. Raise SpecError as `register` does.
    """
    readings = [read_text(text, f"<spec {number}>") for number, text in enumerate(texts, 1)]
    return _register(_made(readings, is_trusted=True))


def _made(
    readings: Sequence[Reading],
    origin: Origin = Origin.REGISTERED,
    *,
    is_trusted: bool = False,
    is_lazy: bool = False,
) -> list[Operator]:
    """Return the operators of specs. Raise SpecError for all faults of TOML, keys and types, or if
    there are none, for all other problems.
    """
    _raise(readings)
    operators: dict[str, Operator] = {}
    for reading in readings:
        operator = made_of(reading, origin, takes_kernel=is_trusted, is_lazy=is_lazy)
        if operator is None:
            continue
        if operator.existing in operators:
            fact = f"{operator.existing} has two specs; remove one of them"
            reading.problems.add(("op", "schema"), fact)
        operators[operator.existing] = operator
    _raise(readings)
    return [*operators.values()]


def _raise(readings: Iterable[Reading]) -> None:
    """Raise SpecError if there are problems."""
    if problems := [problem for reading in readings for problem in reading.placed()]:
        raise SpecError(problems)


def _register(operators: Sequence[Operator]) -> list[Operator]:
    """Register all operators, or none if one fails."""
    registered: list[Operator] = []
    with registry.lock:
        try:
            for operator in operators:
                registered.append(operator)
                if operator.is_own:
                    composed.define(operator)
                registration.register(operator)
        except BaseException:
            registration.unregister(registered)
            raise
    return registered


def _readings(source: Source) -> list[Reading]:
    """Return the specs of a path or a text."""
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"register takes the path or the text of a spec, not {type(source).__name__}"
        )
    if isinstance(source, str) and "\n" in source:
        return [read_text(source, "<text>")]
    path = Path(source)
    if not path.is_dir():
        return [read_file(path)]
    if not (files := specs_of(path)):
        raise SpecError([SpecProblem(str(path), 0, "", NO_SPEC)])
    return [read_file(file) for file in files]
