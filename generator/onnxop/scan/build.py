"""The specs of a folder → one package, installed; and the model exported with it, until it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..check.load import load
from ..errors import BuildError, OnnxopError, listed
from ..find import gallery
from ..kernel.kinds import Source
from ..package import build as packages
from ..spec.kernel_table import beside
from ..spec.package import specs_in
from ..trial.outcome import Outcome
from ..trial.trial import Rules
from . import remedies
from .notes import frozen, unlike_alone
from .report import Export, Progress, Report
from .scan import whole
from .specs import make
from .target import Target

_ROUNDS = 5


@dataclass
class Built:
    """The package, and what became of the model with it.

    Attributes:
        name: what to import.
        folder: where it lies.
        whole: what became of the model, by export.
        added: the specs that were found to be needed on the way.
        left_out: the kernels that are still to be written, by their specs.
        kept: what was in the package before, of the files that are the user's.
        notes: what is left to mend, a sentence each.
    """

    name: str
    folder: str
    whole: dict[Export, Outcome] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """Whether the model is right in every export that was asked for."""
        return bool(self.whole) and all(outcome.is_right for outcome in self.whole.values())


def build(
    target: Target,
    wanted: Sequence[Export],
    specs: Path,
    name: str,
    report: Report,
    progress: Progress,
) -> Built:
    """Makes the package of the specs in a folder, beside which it goes, installs it, and exports the
    model with it. An operator that only then is found to be missing is added, where the gallery has
    it, and all is done again.

    Raises:
        OnnxopError: the package cannot be made or built.
    """
    destination = specs / name
    done = Built(name, str(destination))
    within = [export for export in wanted if export.exporter not in report.untaken]
    for _ in range(_ROUNDS):
        files = specs_in(specs)
        unwritten = {file: header for file in files if (header := _unwritten(file))}
        done.left_out = {str(file): str(header) for file, header in unwritten.items()}
        ready = [file for file in files if file not in unwritten]
        if not ready:
            headers = listed(done.left_out.values())
            raise OnnxopError(
                f"{headers}: still to be written: replace not_implemented(kName) in compute(), and run "
                "this again"
            )
        progress(f"making {destination}")
        kept = make(ready, destination, name).kept
        done.kept += [str(destination / file) for file in kept if file.parts[0] == "ops"]
        try:
            packages.install(
                destination, lambda s: progress(f"installing {destination}, {s:.0f} s")
            )
        except BuildError as error:
            raise BuildError(_with_own_files(str(error), ready, destination)) from error
        found = whole(target, within, progress, Rules(package=name))
        done.whole = {export: found.get(export, report.whole[export]) for export in wanted}
        if done.is_right or not (missing := _missing(done, specs)):
            break
        for op in missing:
            file = specs / gallery.specs()[op].name
            file.write_text(gallery.in_package(gallery.text(op), name), encoding="utf-8")
            done.added.append(str(file))
    wrong = {e: o for e, o in done.whole.items() if e in within and not o.is_right}
    before = {export: report.whole[export].is_right for export in wrong}
    done.notes = [
        f"{export}: the model was right without the package: export it by torch.onnx.export."
        for export, was_right in before.items()
        if was_right
    ]
    done.notes += unlike_alone(report, {e: o for e, o in wrong.items() if not before[e]})
    told = [outcome.frozen for outcome in report.whole.values()]
    done.notes += frozen({e: o for e, o in wrong.items() if o.frozen not in told})
    return done


def _with_own_files(text: str, files: Sequence[Path], package: Path) -> str:
    """What is said of kernels' copies in the package, of the user's own."""
    for file in files:
        name = load(file).kernel_file
        if name and (own := beside(name, file.parent)):
            text = text.replace(str(package / "ops" / name), str(own))
    return text


def _unwritten(file: Path) -> Path | None:
    """The kernel of a spec that is still to be written."""
    spec = load(file)
    if not isinstance(spec.kernel, Source) or spec.kernel.is_written:
        return None
    return beside(spec.kernel.file, file.parent) or file


def _missing(done: Built, specs: Path) -> list[str]:
    """The operators that refusals name, which the gallery has and the folder has not."""
    named = [op for outcome in done.whole.values() for op in remedies.named_ops(outcome)]
    known = gallery.specs()
    there = {file.name for file in specs.glob("*.toml")}
    return [op for op in dict.fromkeys(named) if op in known and known[op].name not in there]
