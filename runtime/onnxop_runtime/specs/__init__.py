"""Specs without a package: a rule for an operator that PyTorch has, from a file, a folder or a text.

It reads what a spec says of ONNX, by tomllib and PyTorch's own schemas, and imports nothing that the
caller has not imported. A spec with a ``[kernel]`` needs a package: ``onnxop new`` makes it.
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
    """Make the rules of specs known to both exporters in this process.

    ``torch.onnx.export(dynamo=False)`` and `onnxop_runtime.export` use them by themselves;
    ``torch.onnx.export`` of the dynamo exporter by ``custom_translation_table=translation_table()``.
    A spec of an operator that is registered already takes its place. Values are compared with PyTorch's by
    ``onnxop check``, not here.

    Args:
        source: the path of a spec, or of a folder of specs, or a spec's text, which has several lines.

    Returns:
        The operators, for `unregister`.

    Raises:
        SpecError: a spec is wrong, or needs a package, or a module that is not imported; nothing is
            registered.
        TypeError: the source is neither.
    """
    return _register(_made(_texts(source)))


def unregister(operators: Iterable[Operator] | Operator) -> None:
    """Forget operators that `register` returned: exporters write what they wrote before. Those that are
    forgotten already are passed over.

    Raises:
        TypeError: these are none.
    """
    given = [operators] if isinstance(operators, Operator) else list(operators)
    for operator in given:
        if not isinstance(operator, Operator) or operator.origin is not Origin.REGISTERED:
            raise TypeError(f"unregister takes what register returned, not {operator!r}")
    with registry.lock:
        registration.unregister(given)


def register_gallery(folder: Path) -> list[Operator]:
    """Register specs of the gallery, which are part of this runtime; their mappings are compiled when they
    are needed.
    """
    files = sorted(folder.glob("*.toml"))
    texts = [(str(file), file.read_text(encoding="utf-8")) for file in files]
    return _register(_made(texts, Origin.GALLERY, is_trusted=True, is_lazy=True))


def register_trusted(texts: Sequence[str]) -> list[Operator]:
    """Register specs whose code may run, those with a kernel that is composed of PyTorch's operators among
    them: what they are composed of stays in this process.

    Raises:
        SpecError: as `register` does.
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
    """Return what the texts are, each by its place; raise SpecError with all that is wrong with them."""
    found: dict[str, Operator] = {}
    problems: list[SpecProblem] = []
    for place, text in texts:
        try:
            tables = read(text, place, takes_kernel=is_trusted)
            operator = made_of(tables, origin, is_lazy=is_lazy)
            if operator.existing in found:
                fact = f"{operator.existing} has another spec here, too"
                problems.append(tables.problem("op.schema", fact, "remove one of them"))
            found[operator.existing] = operator
        except SpecError as error:
            problems += error.problems
    if problems:
        raise SpecError(problems)
    return [*found.values()]


def _register(operators: Sequence[Operator]) -> list[Operator]:
    done: list[Operator] = []
    with registry.lock:
        try:
            for operator in operators:
                done.append(operator)
                if operator.is_own:
                    composed.define(operator)
                registration.register(operator)
        except BaseException:
            registration.unregister(done)
            raise
    return done


def _texts(source: Source) -> list[tuple[str, str]]:
    """Return the specs' places and texts."""
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"register takes the path of a spec, or its text, not {type(source).__name__}"
        )
    if isinstance(source, str) and "\n" in source:
        return [("<text>", source)]
    remedy = "give the path of a .toml file in UTF-8, or of a folder of these"
    path = Path(source)
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not files:
        raise SpecError.of(str(path), "holds no spec", remedy)
    found = []
    for file in files:
        try:
            if file.exists() and not file.is_file():  # reading a pipe would not end
                raise OSError("it is no plain file")
            with file.open(encoding="utf-8-sig") as stream:
                found.append((str(file), stream.read(LARGEST + 1)))
        except (OSError, UnicodeDecodeError) as error:
            raise SpecError.of(str(file), f"cannot be read: {error}", remedy) from None
    return found
