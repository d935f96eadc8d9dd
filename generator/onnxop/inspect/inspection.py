"""A name → all that is known of it: in PyTorch, its exporters, ONNX, ONNX Runtime and the gallery."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ..check.load import load
from ..check.mapping import opsets_of
from ..errors import Problems, did_you_mean
from ..find import gallery, onnxops, torchops
from ..find.torchops import TorchOp, UnknownError
from ..schema import signature
from ..spec.model import Spec
from ..starter import guesses, sample_values, starter
from ..trial import trial
from ..trial.call import Call, one_call
from ..trial.outcome import Outcome

Progress = Callable[[str], None]


@dataclass(frozen=True)
class GallerySpec:
    """What the gallery has: the opsets that its rule covers, by exporter."""

    file: str
    opsets: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Tried:
    """What either exporter made of a call at each opset: ``outcomes`` by exporter and opset."""

    overload: str
    sample: str
    outcomes: dict[str, dict[int, Outcome]]


@dataclass(frozen=True)
class Answer:
    """What is known of a name. ``no_spec`` is why there can be none, where there can be none; ``found``
    are other names that have the word in them.
    """

    name: str
    torch: TorchOp | None = None
    tried: Tried | None = None
    untried: str = ""
    onnx: tuple[onnxops.OnnxOp, ...] = ()
    gallery: GallerySpec | None = None
    no_spec: str = ""
    found: dict[str, tuple[str, ...]] = field(default_factory=dict)


def inspect(name: str, requires: Sequence[str] = (), progress: Progress = print) -> Answer:
    """Return all that is known of ``namespace::name``, of ``onnx:Name``, or of a word.

    Raises:
        UnknownError: nothing has the name, or the word in its name.
    """
    if not re.search(r"\w", name.removeprefix("onnx:")):
        raise UnknownError(
            f"{name!r}: is no name; give one, as in aten::erfinv or onnx:Asinh, or a word of one"
        )
    if name.startswith("onnx:"):
        return _of_onnx(name.removeprefix("onnx:").lstrip(":"), requires)
    asked = torchops.name_of(name)
    if "::" not in asked.removesuffix("::"):
        return _of_word(name.removesuffix("::"), requires, progress)
    return _of_torch(asked, requires, progress)


def _of_torch(name: str, requires: Sequence[str], progress: Progress) -> Answer:
    base, _, overload = name.partition(".")
    found = torchops.find(base, requires)
    if overload and overload not in found.overloads:
        known = ", ".join(word or "the one without a name" for word in found.overloads)
        raise UnknownError(f"{base} has no overload {overload}; it has {known}")
    file = gallery.file_of(base, overload)
    tried, untried = _tried(found, overload, file, progress)
    like = [op for each in onnxops.like(base.partition("::")[2]) if (op := onnxops.find(each))]
    why = "" if file else starter.why_none(base, overload, requires)
    return Answer(name, found, tried, untried, tuple(like[:6]), _of_gallery(file), why)


def _of_gallery(file: Path | None) -> GallerySpec | None:
    if file is None:
        return None
    found = opsets_of(load(file))
    opsets = {"dynamo": tuple(found.dynamo), "TorchScript": tuple(found.torchscript)}
    return GallerySpec(str(file), opsets)


def _tried(
    op: TorchOp, overload: str, file: Path | None, progress: Progress
) -> tuple[Tried | None, str]:
    """What the exporters do with one overload: the one asked for, that of the gallery, or the first
    whose signature says enough to guess a call.
    """
    spec = load(file) if file is not None else None
    words = [overload] if overload else [*op.overloads]
    if spec is not None and not overload:
        words.insert(0, spec.schema.overload)
    why = ""
    for word in dict.fromkeys(words):
        problems = Problems()
        text = f"{op.name}.{word}" if word else op.name
        schema = signature.parse(text, problems, op.requires, starter.public(op.name))
        if schema is None:
            why = why or next(iter(problems)).message
            continue
        own = spec if spec and spec.schema.overload == word else None
        if call := _call_of(op, schema, own):
            made, sample = call
            return Tried(word, sample, _outcomes(made, progress)), ""
        why = why or "PyTorch takes none of the calls that its types suggest"
    return None, why


def _call_of(op: TorchOp, schema: signature.OpSchema, spec: Spec | None) -> tuple[Call, str] | None:
    """A call of the operator, and how a sample writes it: the spec's, or a guess."""
    overload = getattr(torchops.packet(op.name, op.requires), schema.overload or "default")
    guess = guesses.Guess(spec.samples[0], True) if spec else guesses.first(schema, overload)
    if not guess.runs:
        return None
    args, kwargs = guesses.split(overload, guesses.arguments(schema, guess.sample))
    return one_call(overload, args, kwargs), sample_values.table(guess.sample)


def _outcomes(call: Call, progress: Progress) -> dict[str, dict[int, Outcome]]:
    trial.ready()
    pairs = [(exporter, opset) for exporter, span in trial.EXPORTERS.items() for opset in span]
    works = [partial(trial.tried, call, exporter, opset) for exporter, opset in pairs]
    found: dict[tuple[str, int], Outcome] = {}
    for place, outcome in trial.outcomes(works):
        found[pairs[place]] = outcome
        progress(f"tried {len(found)} of {len(pairs)} exports")
    return {
        exporter: {opset: found[exporter, opset] for opset in span}
        for exporter, span in trial.EXPORTERS.items()
    }


def _of_onnx(name: str, requires: Sequence[str]) -> Answer:
    by_lower = {other.lower(): other for other in onnxops.names()}
    found = onnxops.find(by_lower.get(name.lower(), name))
    if found is None:
        raise UnknownError(onnxops.unknown(name))
    mapped = re.compile(rf"\bop\.{found.name}\(")
    others = {
        "PyTorch, of like name": tuple(torchops.like(found.name, requires)),
        "gallery, whose mapping has it": tuple(
            op for op, file in gallery.specs().items() if mapped.search(file.read_text("utf-8"))
        ),
    }
    return Answer(f"onnx:{found.name}", onnx=(found,), found={k: v for k, v in others.items() if v})


def _of_word(word: str, requires: Sequence[str], progress: Progress) -> Answer:
    plain = word.rpartition(".")[2].lower()
    every = [op.partition("::") for op in torchops.every(requires) if not op.endswith("_")]
    torch = [(space, name) for space, _, name in every if plain in name.lower() or plain == space]
    named = [f"{space}::{name}" for space, name in torch if name.lower() == plain]
    found = {
        "PyTorch": tuple(f"{space}::{name}" for space, name in torch if name[0] != "_"),
        "ONNX": tuple(f"onnx:{name}" for name in onnxops.search(plain)),
        "gallery": tuple(op for op in gallery.specs() if plain in op),
    }
    if not any(found.values()) and not torch:
        known = [*(name for _, _, name in every), *onnxops.names()]
        raise UnknownError(
            f"{word}: neither PyTorch nor ONNX has an op with the word in its name"
            f"{did_you_mean(word, known)}"
        )
    answer = _of_torch(named[0], requires, progress) if len(named) == 1 else Answer(word)
    others = {where: tuple(n for n in names if n != answer.name) for where, names in found.items()}
    return replace(answer, found={where: names for where, names in others.items() if names})
