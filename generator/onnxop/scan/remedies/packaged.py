"""The specs of a folder → one package, installed, and the model exported with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from onnxop_runtime.messages import join_words
from onnxop_runtime.specs.reading import specs_in

from ...check.load import load
from ...errors import BuildError, OnnxopError
from ...package import build as packages
from ...spec.kernel_table import beside
from ...trial.outcome import Outcome
from ...trial.trial import Rules
from ..model.exports import Export, Progress
from ..one_side import other_sides
from ..report.report import KeptLines, Report
from .spec_folder import make, unwritten_kernel


class NoKernelError(OnnxopError):
    """No kernel of the specs is written yet, so there is nothing to build."""


@dataclass(frozen=True)
class BuiltPackage:
    """The package, and the outcome of exporting the model with it.

    Attributes:
        name: the module to import.
        folder: its path.
        whole: the outcome for the whole model, by export.
        left_out: the unwritten kernels, by their specs.
        kept: the user's files that were in the package before.
        replaced: the ops that replace the model's own functions, by the functions' names.
    """

    name: str
    folder: str
    whole: dict[Export, Outcome]
    left_out: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    replaced: dict[str, str] = field(default_factory=dict)

    @property
    def is_right(self) -> bool:
        """Return whether the model passes in every requested export."""
        return bool(self.whole) and all(outcome.is_right for outcome in self.whole.values())


def build(
    report: Report, exports: Sequence[Export], specs: Path, name: str, progress: Progress
) -> tuple[BuiltPackage, KeptLines]:
    """Make a package of the specs in a folder, inside that folder, install it, and export the model
    with it, with its ops in place of the model's own functions. Return the package, and what
    `torch.jit.trace` keeps.

    Raises:
        NoKernelError: each spec's kernel is a skeleton.
        OnnxopError: the package cannot be made or built.
    """
    destination = specs / name
    files = specs_in(specs)
    unwritten = {file: header for file in files if (header := unwritten_kernel(file))}
    ready = [file for file in files if file not in unwritten]
    if not ready:
        headers = join_words(map(str, unwritten.values()))
        raise NoKernelError(
            f"{headers}: no kernel is written yet; replace not_implemented(kName) in compute(), "
            "and run this again"
        )
    progress(f"making {destination}")
    kept_files = make(ready, destination, name).kept
    try:
        packages.install(destination)
    except BuildError as error:
        raise BuildError(_with_own_files(str(error), ready, destination)) from error
    names = {load(file).schema.public_name for file in ready}
    replaced = {f.name: f.op for f in report.functions if f.op in names}
    rules = Rules(package=name, replaced=replaced)
    tried = other_sides.try_model(report.target, report.kept, exports, progress, rules)
    built = BuiltPackage(
        name,
        str(destination),
        tried.outcomes,
        {str(file): str(header) for file, header in unwritten.items()},
        [str(destination / file) for file in kept_files if file.parts[0] == "ops"],
        replaced,
    )
    return built, tried.kept


def _with_own_files(text: str, files: Sequence[Path], package: Path) -> str:
    """Return the text with the paths of kernel copies in the package replaced by the user's files."""
    for file in files:
        name = load(file).kernel_file
        if name and (own := beside(name, file.parent)):
            text = text.replace(str(package / "ops" / name), str(own))
    return text
