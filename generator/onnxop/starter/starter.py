"""An operator → a spec for it: the gallery's, or a starter that passes ``onnxop check``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from onnxop_runtime.mapping import definitions as onnxdefs

from ..check.load import parse
from ..check.mapping import mapped, values_of
from ..errors import OnnxopError, Problems, SpecError, listed, some
from ..find import gallery, onnxops, torchops
from ..kernel.expression import FUNCTIONS
from ..schema import signature
from ..schema.signature import OpSchema
from ..spec.model import Spec
from ..spec.tensors import SampleValue
from ..trial import forks, trial
from ..trial.call import one_call
from ..trial.outcome import Outcome, outcome
from . import guesses, new_operator, samples
from .mappings import mappings
from .written import NAMESPACE, NoStarterError, Written

_OPSET = 20  # at which PyTorch's own exporters are tried


@dataclass(frozen=True)
class _Proposal:
    """The tables [onnx] and [kernel] of a starter, and what they propose."""

    origin: str
    tables: str
    ops: tuple[str, ...] = ()


def write_all(name: str, requires: Sequence[str] = ()) -> list[Written]:
    """The spec that `write` gives, and those that it needs beside it."""
    first = write(name, requires)
    needed = gallery.with_needed(first.op)[1:] if first.origin == "gallery" else []
    return [first, *map(write, needed)]


def write(
    name: str, requires: Sequence[str] = (), sample: Mapping[str, SampleValue] | None = None
) -> Written:
    """The spec of ``namespace::name``, ``namespace::name.overload`` or ``onnx:Name``.

    ``sample`` is a call that PyTorch takes; without one, it is guessed.

    Raises:
        UnknownError: there is no such operator.
        NoStarterError: there can be no spec of it.
    """
    if name.startswith("onnx:") and (op := name.removeprefix("onnx:").lstrip(":")):
        return _of_onnx(op, requires)
    name = torchops.name_of(name)
    if not all(name.partition("::")):
        word = name.removeprefix("onnx:").strip(":")
        known = [op for op in torchops.public(requires) if word and word.lower() in op]
        with_it = f"; those with it in their names are {some(known)}" if known else ""
        raise torchops.UnknownError(
            f"{name!r}: is no operator's name; give one, as in aten::erfinv or onnx:Asinh{with_it}; "
            f"onnxop inspect {word or 'WORD'} finds those with a word in their names"
        )
    base, _, overload = name.partition(".")
    key = name if name in gallery.specs() else None
    if key is None and (word := overload or _by_plainness(base, requires)[0]):
        key = gallery.key_of(base, word)
    if key:
        return Written(key, gallery.text(key), "gallery", is_proved=True)
    return starter(base, overload, requires, sample)


def starter(
    name: str,
    overload: str = "",
    requires: Sequence[str] = (),
    sample: Mapping[str, SampleValue] | None = None,
    only: Sequence[str] = (),
    others: Sequence[Mapping[str, SampleValue]] = (),
) -> Written:
    """A starter for an operator that PyTorch has; ``only`` these ONNX ops are proposed, where given.
    ``others`` are samples behind the first, of which the same has to be right.

    Raises:
        UnknownError: there is no such operator.
        NoStarterError: there can be no spec of it.
    """
    schema, full = _schema(name, overload, requires)
    needed = torchops.modules(schema.namespace, requires)
    called = getattr(torchops.packet(name, requires), schema.overload or "default")
    guess = guesses.Guess(dict(sample), runs=True) if sample else guesses.first(schema, called)
    made = _Starter(name, schema, full, needed, called, guess, only, others)
    return made.written()


def why_none(name: str, overload: str = "", requires: Sequence[str] = ()) -> str:
    """Why there can be no spec of an operator that PyTorch has, where its signature tells."""
    try:
        _schema(name, overload, requires)
    except NoStarterError as error:
        return str(error)
    return ""


def _schema(name: str, overload: str, requires: Sequence[str]) -> tuple[OpSchema, str]:
    """The first overload that a spec can have, or the one asked for, and its text."""
    found = torchops.schemas(name, requires)
    words = [overload] if overload else _by_plainness(name, requires)
    needed = torchops.modules(name.partition("::")[0], requires)
    why = ""
    for word in words:
        problems = Problems()
        text = f"{name}.{word}" if word else name
        plain = name.partition("::")[2]
        public = plain.lstrip("_") if plain.startswith("_") else ""
        if gallery.is_of_other(name, word):  # so that both go into one package
            public = f"{plain.lstrip('_')}_{word}"
        schema = signature.parse(text, problems, needed, public)
        if schema is not None:
            return schema, found.get(word, text)
        why = why or "; ".join(problem.message for problem in problems)
    raise NoStarterError(f"{name}: there can be no spec of it: {why}")


def _by_plainness(name: str, requires: Sequence[str]) -> list[str]:
    """The operator's overloads, those that calls have most first."""
    return sorted(torchops.schemas(name, requires), key=_plainness)


def _plainness(overload: str) -> tuple[int, str]:
    order = ("", "Tensor", "Tensor_Tensor", "self", "input", "src", "int", "dim", "default")
    return (order.index(overload) if overload in order else len(order)), overload


class _Starter:
    """A starter in the making: the proposals are tried in order, and the first that is right is taken;
    where none is, the first that passes the checks and cannot be wrong.
    """

    def __init__(
        self,
        name: str,
        schema: OpSchema,
        full: str,
        requires: tuple[str, ...],
        overload: Any,
        guess: guesses.Guess,
        only: Sequence[str],
        others: Sequence[Mapping[str, SampleValue]],
    ) -> None:
        self._name, self._schema, self._full = name, schema, full
        self._requires, self._overload, self._guess = requires, overload, guess
        self._like = tuple(only) or onnxops.like(schema.name)[:4]
        self._only = only
        self._samples = (guess.sample, *others)
        self._notes: list[str] = []

    def written(self) -> Written:
        """The starter. Raises `NoStarterError` where no proposal passes the checks."""
        self._stock = self._alone()
        untried: tuple[_Proposal, str] | None = None
        problem = ""
        for proposal in self._proposals():
            text = self._text(proposal, [])
            try:
                spec = parse(text)
            except SpecError as error:
                problem = problem or error.lines[0].split("\n")[0].partition(": ")[2]
                continue
            why = self._wrong(proposal, spec)
            if why is None:
                outcomes = (outcome for found in self._stock.values() for outcome in found)
                is_random = any(outcome.kind == "random" for outcome in outcomes)
                return self._done(proposal, is_proved=not is_random)
            if why:
                self._notes += [f"Tried: op.{op}; {why}." for op in proposal.ops]
                problem = problem or f"tried as {proposal.tables.splitlines()[-1]}: {why}"
            elif untried is None:
                untried = proposal, text
                if proposal.origin in ("kernel", "node"):
                    break
        if untried is None and not self._guess.runs:
            raise NoStarterError(
                f"{self._name}: PyTorch takes none of the calls that its types suggest; write a spec with "
                "a sample that it takes"
            )
        if untried is None:
            raise NoStarterError(f"{self._name}: there can be no spec of it: {problem}")
        return self._done(untried[0], is_proved=False)

    def _alone(self) -> dict[str, list[Outcome]]:
        """What PyTorch's exporters make of each sample without a spec."""
        if not self._guess.runs:
            return {}
        given = [guesses.arguments(self._schema, sample) for sample in self._samples]
        calls = [one_call(self._overload, *guesses.split(self._overload, each)) for each in given]
        trial.ready()
        jobs = [(exporter, call) for exporter in trial.EXPORTERS for call in calls]
        works = [partial(trial.tried, call, exporter, _OPSET) for exporter, call in jobs]
        answers = dict(trial.outcomes(works))
        found: dict[str, list[Outcome]] = {}
        for place, (exporter, _) in enumerate(jobs):
            found.setdefault(exporter, []).append(answers[place])
        return found

    def _done(self, proposal: _Proposal, *, is_proved: bool) -> Written:
        text = self._text(proposal, _CHECKS[proposal.origin, is_proved])
        parse(text)
        outcomes = [outcome for found in self._stock.values() for outcome in found]
        return Written(
            self._name,
            text,
            proposal.origin,
            is_proved,
            is_called=self._guess.runs,
            is_needed=not (outcomes and all(outcome.is_right for outcome in outcomes)),
        )

    def _text(self, proposal: _Proposal, checks: Sequence[str]) -> str:
        word = f".{self._schema.overload}" if self._schema.overload else ""
        lines = [f"# A starter for {self._name}, by onnxop new --from."]
        lines += [f"# {note}" for note in (*checks, *dict.fromkeys(self._notes))]
        for exporter, outcomes in self._stock.items():
            who = f"PyTorch's {exporter} exporter, opset {_OPSET}"
            for number, each in enumerate(outcomes, 1):
                what = f"sample {number}" if len(outcomes) > 1 else "it"
                did = f"writes {what}"
                if not each.is_right:
                    did = f"does not write {what} ({each.kind})"
                    did = f"writes {what} wrong" if each.kind == "values" else did
                lines.append(f"# {who}, {did} by itself.")
        if left_out := self._left_out(proposal):
            lines.append(f"# Check: the mapping leaves out {listed(left_out)}.")
        lines += ["", "[op]", f"# {self._full}", f'schema = "{self._name}{word}"']
        if self._schema.given_name:
            lines.append(f'name = "{self._schema.given_name}"')
        if self._requires:
            modules = ", ".join(f'"{module}"' for module in self._requires)
            lines.append(f"requires = [{modules}]")
        if package := gallery.package_table(self._schema.called):
            lines += ["", package]
        lines += ["", proposal.tables, ""]
        if not self._guess.runs:
            lines.append("# Check: PyTorch took none of the calls that were guessed; write one.")
        else:
            lines.append("# Check: the values that your model gives; more tables are more tests.")
            lines.append('# A size with a name, "float32[n=4, 5]", is a dynamic axis of the tests.')
        for sample in self._samples:
            lines += [samples.table(sample), ""]
        return "\n".join(lines)

    def _left_out(self, proposal: _Proposal) -> list[str]:
        if not proposal.ops:
            return []
        used = set(re.findall(r"\w+", proposal.tables))
        return [argument.name for argument in self._schema.free if argument.name not in used]

    def _proposals(self) -> Iterator[_Proposal]:
        mapped = [
            _Proposal("mapping", text, (op,))
            for op in self._like
            for text in mappings(op, self._schema)
        ]
        if self._only:
            yield from mapped
            return
        # A mapping that leaves out an argument is right where that has its default alone.
        whole = [found for found in mapped if not self._left_out(found)]
        yield from whole
        yield _Proposal("decomposed", "[onnx]\ndecomposed = true")
        yield from (found for found in mapped if found not in whole)
        node = f'[onnx]\ndomain = "{NAMESPACE}"'
        if self._schema.name in onnxdefs.versions():
            node += f'\nop_type = "{self._schema.name}Op"'
        if self._schema.name in FUNCTIONS:
            arguments = ", ".join(argument.name for argument in self._schema.free)
            kernel = f'elementwise = "{self._schema.name}({arguments})"'
            yield _Proposal("kernel", f"{node}\n\n[kernel]\n{kernel}")
        header = f'source = "{self._schema.called}.h"'
        yield _Proposal("node", f"{node}\n\n[kernel]\n{header}")
        yield _Proposal("bare", node)

    def _wrong(self, proposal: _Proposal, spec: Spec) -> str | None:
        """Why the proposal is wrong on a sample; empty where it cannot be tried, None where it is
        right.
        """
        if proposal.origin == "decomposed" and self._stock:
            outcomes = self._stock["dynamo"]
        elif proposal.origin == "mapping" and self._guess.runs:
            works = [partial(_mapped, spec, self._overload, sample) for sample in self._samples]
            outcomes = [outcome(answer) for _, answer in forks.each(works)]
        else:
            return ""
        wrong = (outcome.why or outcome.kind for outcome in outcomes if not outcome.is_right)
        return next(wrong, None)


def _mapped(spec: Spec, overload: Any, sample: Mapping[str, SampleValue]) -> Outcome:
    """What ONNX Runtime makes of the mapping for the sample, against PyTorch."""
    given = guesses.arguments(spec.schema, sample)
    call = one_call(overload, *guesses.split(overload, given))
    model = mapped(spec).model(spec.mapping.opset, values_of(sample, spec.schema)).model
    feeds: dict[str, Any] = {}
    for name, value in given.items():
        feeds |= (
            {f"{name}[{place}]": item for place, item in enumerate(value)}
            if isinstance(value, list)
            else {name: value}
        )
    return trial.compared(model, call, feeds)


_PROVED = "Tried on the sample below: ONNX Runtime gives PyTorch's values. Check others of yours."
_CHECKS: dict[tuple[str, bool], tuple[str, ...]] = {
    ("mapping", True): (_PROVED,),
    ("mapping", False): (
        "Check: the mapping goes by the names of ONNX's inputs and attributes alone; nothing was",
        "tried. See that each means the same, and that none is missing.",
    ),
    ("decomposed", True): (
        "Tried on what is below, which PyTorch's dynamo exporter writes right; this gives the operator",
        "to TorchScript's, too. Other calls go the same way, untried: add samples of yours.",
    ),
    ("decomposed", False): ("Check: that the dynamo exporter writes the operator right.",),
    ("kernel", False): (
        "ONNX has no op for it, so it becomes a node of a domain with a C++ kernel of <cmath>'s",
        "function. Check: that it computes the same, and the domain's name. A mapping, where ONNX",
        "can say it, needs no kernel.",
    ),
    ("node", False): (
        "No op of ONNX's was found for it, so it becomes a node of a domain, with a C++ kernel",
        "whose first version onnxop new writes. Check: write a mapping instead where ONNX can say",
        'it: opset = 13, mapping = "op.Exp(self)"; else the kernel, and the domain\'s name.',
    ),
    ("bare", False): (
        "No op of ONNX's was found for it, so it becomes a node of a domain, alone: for a runtime",
        "that knows it. Check: write a mapping instead where ONNX can say it, and the domain's name.",
    ),
}


def _of_onnx(name: str, requires: Sequence[str]) -> Written:
    """The spec that gives a PyTorch operator the ONNX op: one that the gallery has, one of like name;
    or a new operator.
    """
    op = onnxops.find(name)
    if op is None:
        raise torchops.UnknownError(onnxops.unknown(name))
    if op.is_deprecated:
        raise NoStarterError(f"onnx:{name}: ONNX has given it up; there can be no spec of it")
    known = gallery.specs()
    alike = torchops.like(name, requires)
    for other in alike:
        if other in known and f"op.{name}(" in gallery.text(other):
            return Written(other, gallery.text(other), "gallery", is_proved=True)
    for other in alike:
        try:
            return starter(other, "", requires, only=[name])
        except OnnxopError:
            continue
    return new_operator.write(op, alike)
