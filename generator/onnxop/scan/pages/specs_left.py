"""The specs of a model that is not right yet → what is left to do on them."""

from __future__ import annotations

from pathlib import Path

from ..remedies.packaged import BuiltPackage
from ..report.findings import SPECS, RemedyKind
from ..report.report import Report

_SPECS_TO_WRITE: frozenset[RemedyKind] = SPECS - {"own"}
"""The kinds of remedies that are specs to write."""


def has_specs(scanned: Report) -> bool:
    """Return whether there are specs to write that may help: not if the model was tried with all of
    them.
    """
    kinds = kinds_to_write(scanned)
    return bool(kinds) and ("unfinished" in kinds or not scanned.with_specs)


def kinds_to_write(scanned: Report) -> set[RemedyKind]:
    """Return the kinds of the specs to write."""
    return _kinds(scanned) & _SPECS_TO_WRITE


def next_step(scanned: Report, folder: Path | None) -> str:
    """Return what to do on the specs beside changes of the model, of which no package was built yet;
    nothing if there is no spec that may help. ``folder`` is that of the specs, if they were written.
    """
    if has_specs(scanned):
        if "unfinished" not in _kinds(scanned):
            return "scan again with --build: specs mend the other calls"
        if folder is None:
            return "scan again with --write DIR, which writes kernel skeletons to complete"
        return f"complete the kernel skeletons in {folder}, and scan again with --build"
    if "own" in _kinds(scanned) and not scanned.with_specs:
        return "scan again with --build, which compiles the kernels of your specs"
    return ""


def skeletons_of_package(package: BuiltPackage | None) -> list[str]:
    """Return a line for each spec that the package lacks, as its kernel is a skeleton."""
    left_out = package.left_out if package else {}
    return [
        f"{header}, the kernel of {file}, is a skeleton: write its compute(), and run this again"
        for file, header in left_out.items()
    ]


def _kinds(scanned: Report) -> set[RemedyKind]:
    """Return the kinds of remedies, those of the model's own functions among them."""
    kinds = {remedy.kind for finding in scanned.findings for remedy in finding.remedies}
    for called in scanned.functions:
        if called.op:
            kinds.add("unfinished" if called.origin == "node" else "starter")
    return kinds
