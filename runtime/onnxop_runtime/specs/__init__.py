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
from .operators import Spec, made_of
from .problems import SpecError, SpecProblem
from .text import read

__all__ = ["SpecError", "register", "register_gallery", "register_trusted", "unregister"]

Source = str | os.PathLike[str]


def register(source: Source) -> list[Operator]:
    """Make the rules of specs known to both exporters in this process.

    ``torch.onnx.export(dynamo=False)`` and `onnxop_runtime.export` use them by themselves;
    ``torch.onnx.export`` of the dynamo exporter by ``custom_translation_table=translation_table()``.
    A spec of an operator that is registered already takes its place.

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
        TypeError: these are no operators.
        ValueError: one of them is a package's, or the gallery's.
    """
    given = [operators] if isinstance(operators, Operator) else list(operators)
    for operator in given:
        if not isinstance(operator, Operator):
            raise TypeError(
                f"unregister takes what register returned, not {type(operator).__name__}"
            )
        if operator.origin is not Origin.REGISTERED:
            raise ValueError(
                f"{operator} is of {operator.package.name}; unregister takes what register returned"
            )
    with registry.lock:
        registration.unregister(given)


def register_gallery(folder: Path) -> list[Operator]:
    """Register specs of the gallery, which are part of this runtime; their mappings are compiled when they
    are needed.
    """
    files = sorted(folder.glob("*.toml"))
    texts = [(str(file), file.read_text(encoding="utf-8")) for file in files]
    return _register(
        _made(texts, Origin.GALLERY, is_trusted=True, is_lazy=True), checks_needs=False
    )


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
) -> list[Spec]:
    """Return what the texts are, each by its place; raise SpecError with all that is wrong with them."""
    specs: list[Spec] = []
    problems: list[SpecProblem] = []
    for place, text in texts:
        try:
            tables = read(text, place, takes_kernel=is_trusted)
            specs.append(made_of(tables, origin, is_lazy=is_lazy))
        except SpecError as error:
            problems += error.problems
    known: dict[str, Spec] = {}
    for spec in specs:
        other = known.setdefault(spec.operator.existing, spec)
        if other is not spec:
            fact = f"{spec.operator.existing} has a spec in {other.tables.place}, too"
            problems.append(spec.tables.problem("op.schema", fact, "remove one of them"))
    if problems:
        raise SpecError(problems)
    return specs


def _register(specs: Sequence[Spec], *, checks_needs: bool = True) -> list[Operator]:
    if checks_needs:
        _check_needs(specs)
    done: list[Operator] = []
    with registry.lock:
        try:
            for spec in specs:
                done.append(spec.operator)
                if spec.operator.is_own:
                    composed.define(spec.operator)
                registration.register(spec.operator)
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
    remedy = "give the path of a .toml file, or of a folder of these"
    path = Path(source)
    if not str(source):
        raise SpecError.of("register", "the path is empty", remedy)
    files = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not files:
        raise SpecError.of(str(path), "holds no spec", remedy)
    found = []
    for file in files:
        try:
            found.append((str(file), file.read_text(encoding="utf-8-sig")))
        except UnicodeDecodeError:
            raise SpecError.of(str(file), "is not UTF-8 text", "save it as UTF-8") from None
        except OSError as error:
            raise SpecError.of(str(file), f"cannot be read: {error.strerror}", remedy) from None
    return found


def _check_needs(specs: Sequence[Spec]) -> None:
    """Raise SpecError where a decomposed operator needs rules that nothing registers."""
    operators = [*(spec.operator for spec in specs), *registry.operators()]
    names = {operator.existing or operator.name for operator in operators}
    known = names | {name.partition(".")[0] for name in names}
    problems = [
        spec.tables.problem(
            "onnx.decomposed", f"{name} has no rule", "register a spec of it in the same folder"
        )
        for spec in specs
        for name in spec.needs
        if name not in known
    ]
    if problems:
        raise SpecError(problems)
