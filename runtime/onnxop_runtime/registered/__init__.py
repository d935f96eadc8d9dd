"""Specs without a package: rules for existing PyTorch operators, from a file, a folder or a text.

Specs are read with tomllib and PyTorch's schemas only; no module that they name is imported. A spec with a
``[kernel]`` needs a package, which ``onnxop new`` generates.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from .. import registry
from ..exporting import registration
from ..operator import composed
from ..operator.description import Operator
from ..registry import Origin
from .operators import made_of
from .tables import LARGEST, SpecError, SpecProblem, read

__all__ = ["SpecError", "register", "register_gallery", "register_trusted", "unregister"]

Source = str | os.PathLike[str]


def register(source: Source) -> list[Operator]:
    """Register the rules of specs with both exporters in this process.

    `torch.onnx.export` and `onnxop_runtime.export` use them from then on. A spec replaces an earlier one for the
    operator, but not a package's rule. Results are not compared with PyTorch; ``onnxop check`` does that.

    Args:
        source: the path of a spec or of a folder of specs, or the text of a spec, in several lines.

    Returns:
        The operators, for `unregister`.

    Raises:
        SpecError: a spec is invalid, or needs a package, or a module that is not imported. Nothing is
            registered then.
        TypeError: the source is neither a path nor a text.
    """
    return _register(_made(_texts(source)))


def unregister(operators: Iterable[Operator] | Operator) -> None:
    """Remove operators that `register` returned: the exporters use their former rules again. Operators that are
    removed already are ignored.

    Raises:
        TypeError: an operator was not returned by `register`.
    """
    registered = [operators] if isinstance(operators, Operator) else list(operators)
    for operator in registered:
        if not isinstance(operator, Operator) or operator.origin is not Origin.REGISTERED:
            raise TypeError(f"unregister takes what register returned, not {operator!r}")
    with registry.lock:
        registration.unregister(registered)


def register_gallery(folder: Path) -> list[Operator]:
    """Register the gallery's specs, which are part of this runtime. Mappings are compiled at first use."""
    files = sorted(folder.glob("*.toml"))
    texts = [(str(file), file.read_text(encoding="utf-8")) for file in files]
    return _register(_made(texts, Origin.GALLERY, is_trusted=True, is_lazy=True))


def register_trusted(texts: Sequence[str]) -> list[Operator]:
    """Register specs from a trusted source. Their kernels may be composed of PyTorch's operators; such
    operators stay defined in this process. Raise SpecError as `register` does.
    """
    places = [f"<spec {number}>" for number, _ in enumerate(texts, 1)]
    return _register(_made(list(zip(places, texts, strict=True)), is_trusted=True))


def _made(
    texts: Sequence[tuple[str, str]],
    origin: Origin = Origin.REGISTERED,
    *,
    is_trusted: bool = False,
    is_lazy: bool = False,
) -> list[Operator]:
    """Return the operators of specs, given as pairs of place and text; raise SpecError with all problems."""
    operators: dict[str, Operator] = {}
    problems: list[SpecProblem] = []
    for place, text in texts:
        try:
            tables = read(text, place, takes_kernel=is_trusted)
            operator = made_of(tables, origin, is_lazy=is_lazy)
            if operator.existing in operators:
                fact = f"{operator.existing} has two specs"
                problems.append(tables.problem("op.schema", fact, "remove one of them"))
            operators[operator.existing] = operator
        except SpecError as error:
            problems += error.problems
    if problems:
        raise SpecError(problems)
    return [*operators.values()]


def _register(operators: Sequence[Operator]) -> list[Operator]:
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


def _texts(source: Source) -> list[tuple[str, str]]:
    """Return the specs' places and texts."""
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"register takes the path or the text of a spec, not {type(source).__name__}"
        )
    if isinstance(source, str) and "\n" in source:
        return [("<text>", source)]
    remedy = "give the path of a .toml file in UTF-8, or of a folder of these"
    path = Path(source)
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not files:
        raise SpecError.of(str(path), "the folder has no spec", remedy)
    texts = []
    for file in files:
        try:
            if file.exists() and not file.is_file():  # reading a pipe would not end
                raise OSError("not a regular file")
            with file.open(encoding="utf-8-sig") as stream:
                texts.append((str(file), stream.read(LARGEST + 1)))
        except (OSError, UnicodeDecodeError) as error:
            raise SpecError.of(str(file), f"cannot be read: {error}", remedy) from None
    return texts
