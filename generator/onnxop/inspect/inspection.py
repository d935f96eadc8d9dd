"""A name → the facts about it in PyTorch, the exporters, ONNX, ONNX Runtime and the gallery."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from onnxop_runtime.messages import did_you_mean
from onnxop_runtime.specs.problems import Problems

from ..check.load import load
from ..check.mapping import opsets_of
from ..find import gallery, onnxops, torchops
from ..find.torchops import TorchOp, UnknownError
from ..schema import signature
from ..spec.model import Spec
from ..starter import guesses, sample_values, starter
from ..trial import trial
from ..trial.call import Call, call_of_overload
from ..trial.outcome import Outcome

Progress = Callable[[str], None]


@dataclass(frozen=True)
class GallerySpec:
    """The gallery's spec, and the opset versions that its rule covers, by exporter."""

    file: str
    opsets: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Tried:
    """The export of a call of one overload: ``outcomes`` by exporter and opset version."""

    overload: str
    sample: str
    outcomes: dict[str, dict[int, Outcome]]


@dataclass(frozen=True)
class Inspection:
    """The facts about a name. ``no_spec``: why no spec is possible. ``matches``: similar names, by
    source.
    """

    name: str
    torch: TorchOp | None = None
    tried: Tried | None = None
    untried: str = ""
    onnx: tuple[onnxops.OnnxOp, ...] = ()
    gallery: GallerySpec | None = None
    no_spec: str = ""
    matches: dict[str, tuple[str, ...]] = field(default_factory=dict)


def inspect(name: str, requires: Sequence[str] = (), progress: Progress = print) -> Inspection:
    """Return all that is known of ``namespace::name``, of ``onnx:Name``, or of a part of a name.
    Raise `UnknownError` if neither PyTorch nor ONNX has the name.
    """
    if not re.search(r"\w", name.removeprefix("onnx:")):
        raise UnknownError(
            f"{name!r}: is not a name; write one, such as aten::erfinv or onnx:Asinh, or part of "
            "one"
        )
    if name.startswith("onnx:"):
        return _inspect_onnx_op(name.removeprefix("onnx:").lstrip(":"), requires)
    operator = torchops.name_of(name)
    if "::" not in operator.removesuffix("::"):
        return _inspect_part_of_name(name.removesuffix("::"), requires, progress)
    return _inspect_operator(operator, requires, progress)


def _inspect_operator(name: str, requires: Sequence[str], progress: Progress) -> Inspection:
    """Look up an operator of PyTorch: its exports, its spec, and similar ops of ONNX."""
    base, _, overload = name.partition(".")
    op = torchops.find(base, requires)
    if overload and overload not in op.overloads:
        overloads = ", ".join(other or "the one without a name" for other in op.overloads)
        raise UnknownError(f"{base} has no overload {overload}; it has {overloads}")
    file = gallery.file_of(base, overload)
    spec = load(file) if file is not None else None
    tried, untried = _tried(op, overload, spec, progress)
    like = [*filter(None, map(onnxops.find, onnxops.like(base.partition("::")[2])))]
    if spec is None:
        why = starter.why_none(base, overload, requires)
        return Inspection(name, op, tried, untried, tuple(like[:6]), no_spec=why)
    covered = opsets_of(spec)
    opsets = {"dynamo": tuple(covered.dynamo), "TorchScript": tuple(covered.torchscript)}
    return Inspection(name, op, tried, untried, tuple(like[:6]), GallerySpec(str(file), opsets))


def _tried(
    op: TorchOp, overload: str, spec: Spec | None, progress: Progress
) -> tuple[Tried | None, str]:
    """Return the exports of one overload: the one asked for, the spec's, or the first whose types
    suggest a call that PyTorch accepts. Return None and the reason if there is none.
    """
    overloads = [overload] if overload else [*op.overloads]
    if spec is not None and not overload:
        overloads.insert(0, spec.schema.overload)
    why = ""
    for name in dict.fromkeys(overloads):
        problems = Problems()
        text = f"{op.name}.{name}" if name else op.name
        schema = signature.parse(text, problems, op.requires, starter.public(op.name))
        if schema is None:
            why = why or next(iter(problems)).message
            continue
        torch_overload = getattr(torchops.packet(op.name, op.requires), name or "default")
        if spec is not None and spec.schema.overload == name:
            guess = guesses.Guess(spec.samples[0], runs=True)
        else:
            guess = guesses.first(schema, torch_overload)
        if guess.runs:
            args, kwargs = guesses.split(torch_overload, guesses.arguments(schema, guess.sample))
            outcomes = _outcomes(call_of_overload(torch_overload, args, kwargs), progress)
            return Tried(name, sample_values.table(guess.sample), outcomes), ""
        why = why or "PyTorch rejects all calls that onnxop guesses from the types"
    return None, why


def _outcomes(call: Call, progress: Progress) -> dict[str, dict[int, Outcome]]:
    """Try a call in each exporter at each opset."""
    trial.warm_up_exporters()
    pairs = [(exporter, opset) for exporter, span in trial.EXPORTERS.items() for opset in span]
    works = [partial(trial.try_export, call, exporter, opset) for exporter, opset in pairs]
    outcomes: dict[tuple[str, int], Outcome] = {}
    for index, outcome in trial.run_works(works):
        outcomes[pairs[index]] = outcome.without_tensors()
        progress(f"tried {len(outcomes)} of {len(pairs)} exports")
    return {
        exporter: {opset: outcomes[exporter, opset] for opset in span}
        for exporter, span in trial.EXPORTERS.items()
    }


def _inspect_onnx_op(name: str, requires: Sequence[str]) -> Inspection:
    """Look up an op of ONNX: similar operators of PyTorch, and specs that use it."""
    by_lower = {other.lower(): other for other in onnxops.names()}
    op = onnxops.find(by_lower.get(name.lower(), name))
    if op is None:
        raise UnknownError(onnxops.unknown(name))
    mapped = re.compile(rf"\bop\.{op.name}\(")
    others = {
        "PyTorch operators with similar names": tuple(torchops.like(op.name, requires)),
        "Gallery specs whose mappings use it": tuple(
            key for key, file in gallery.specs().items() if mapped.search(file.read_text("utf-8"))
        ),
    }
    return Inspection(f"onnx:{op.name}", onnx=(op,), matches={k: v for k, v in others.items() if v})


def _inspect_part_of_name(part: str, requires: Sequence[str], progress: Progress) -> Inspection:
    """Return the ops with that part in their names, and all facts about an op of exactly
    that name.
    """
    plain = part.rpartition(".")[2].lower()
    every = [op.partition("::") for op in torchops.every(requires) if not op.endswith("_")]
    torch = [(space, name) for space, _, name in every if plain in name.lower() or plain == space]
    exact = [f"{space}::{name}" for space, name in torch if name.lower() == plain]
    names = {
        "PyTorch": tuple(f"{space}::{name}" for space, name in torch if name[0] != "_"),
        "ONNX": tuple(f"onnx:{name}" for name in onnxops.search(plain)),
        "gallery": tuple(key for key in gallery.specs() if plain in key),
    }
    if not any(names.values()) and not torch:
        every_name = [*(name for _, _, name in every), *onnxops.names()]
        raise UnknownError(
            f"{part}: neither PyTorch nor ONNX has an op whose name contains it"
            f"{did_you_mean(part, every_name)}"
        )
    answer = (
        _inspect_operator(exact[0], requires, progress) if len(exact) == 1 else Inspection(part)
    )
    others = {where: tuple(n for n in ns if n != answer.name) for where, ns in names.items()}
    return replace(answer, matches={where: ns for where, ns in others.items() if ns})
