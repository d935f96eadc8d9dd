"""Spec files → specs, with all checks: the texts of each, its mapping, its calls in PyTorch, the
package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath

from onnxop_runtime.specs.reading import read_text

from ..errors import InvalidSpecError
from ..spec.draft import Draft
from ..spec.load import check_kernel_name, parse_spec
from ..spec.model import PackageSpec, Spec
from ..spec.package import Purpose, combine
from ..spec.source import Readings, raise_faults, read_specs
from ..spec.tables import NOTHING, RecordedData
from . import runtimes
from .answers import add_problems, ask
from .calls import sample_calls
from .mapping import mapped, opsets_of, trace
from .question import inquiry_about


def load(path: FilePath, *, is_run: bool = False) -> Spec:
    """Return the spec in a file. Raise `InvalidSpecError` for its problems. ``is_run``: compare
    values, too.
    """
    return _only_spec(read_specs([path]), is_run=is_run)


def parse(text: str, path: FilePath = FilePath("op.toml")) -> Spec:
    """Return the spec in a text. Raise `InvalidSpecError` with everything that is wrong with it.

    ``path`` is the name in messages. The header of a kernel may be in its folder.
    """
    return _only_spec([(path, read_text(text, str(path)))])


def load_package(paths: Sequence[FilePath], name: str = "", *, is_new: bool) -> PackageSpec:
    """Return the package of the specs in these files. Raise `InvalidSpecError` for their
    problems.
    """
    purpose = Purpose.NEW if is_new else Purpose.CURRENT
    return check_package(read_specs(paths), name, purpose)


def parse_package(texts: Mapping[str, str], name: str = "") -> PackageSpec:
    """Return the package of the specs in these texts, by the names of their files in ``ops/``."""
    paths = [FilePath("ops", file) for file in sorted(texts)]
    readings = [(path, read_text(texts[path.name], str(path))) for path in paths]
    return check_package(readings, name, Purpose.CURRENT)


def check_package(
    readings: Readings,
    name: str,
    purpose: Purpose,
    *,
    is_run: bool = False,
    recorded: RecordedData = NOTHING,
) -> PackageSpec:
    """Return the package of the specs that were read, as `spec.package.combine` does. ``is_run``:
    compare values, too.
    """
    names_package = len(readings) == 1 and not name
    drafts = _drafts(readings, names_package=names_package, is_run=is_run, recorded=recorded)
    return combine(drafts, name, purpose)


def _only_spec(readings: Readings, *, is_run: bool = False) -> Spec:
    """Return the only spec that was read. Raise `InvalidSpecError` for its problems."""
    [draft] = _drafts(readings, is_run=is_run)
    spec = draft.spec
    if spec is not None:
        check_kernel_name(spec, draft.problems)
    if spec is None or draft.problems:
        raise InvalidSpecError(draft.messages)
    return spec


def _drafts(
    readings: Readings,
    *,
    names_package: bool = True,
    is_run: bool = False,
    recorded: RecordedData = NOTHING,
) -> list[Draft]:
    """Return the parts of the specs that were read, with all problems of each. Raise
    `InvalidSpecError` for faults of TOML, keys and types, before any other check.

    ``is_run``: run the mappings and compare their values with PyTorch's.
    """
    raise_faults(readings)
    drafts, inquiries = [], []
    for path, reading in readings:
        draft = parse_spec(reading, path, names_package=names_package, recorded=recorded)
        draft, traces = trace(draft, sample_calls(draft), is_run=is_run)
        inquiry = inquiry_about(
            draft, traces, is_run=is_run, is_asked=not recorded.replaces_modules(draft.document.op)
        )
        if inquiry is not None:
            ask(inquiry)
            inquiries.append(inquiry)
        drafts.append(draft)
    for inquiry in inquiries:
        add_problems(inquiry)
    return drafts


def notes(spec: Spec) -> list[str]:
    """Return the warnings about a valid spec: its checks', and a message on the opset versions at
    which no ONNX Runtime has the mapping's kernels.
    """
    if not spec.mapping.is_given:
        return [*spec.warnings]
    without_kernel = runtimes.without_kernel(mapped(spec).to_onnx, opsets_of(spec))
    return [*spec.warnings, *(f"onnx.mapping: {message}" for message in without_kernel)]
