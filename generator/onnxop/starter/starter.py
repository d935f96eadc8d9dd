"""An operator → a spec for it: the gallery's, or a starter that passes ``onnxop check``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from onnxop_runtime.mapping import definitions as onnxdefs

from ..check.load import parse
from ..errors import OnnxopError, Problems, SpecError, some
from ..find import gallery, onnxops, torchops
from ..kernel.expression import FUNCTIONS
from ..schema import signature
from ..schema.signature import OpSchema
from ..spec.tensors import SampleValue
from ..trial import trial
from ..trial.call import one_call
from ..trial.outcome import WORDS, Outcome
from . import guesses, sample_values

_OPSET = 20  # at which PyTorch's own exporters are tried
_DOMAIN = "my_lib"  # of a node that ONNX lacks; for the user to rename

Sample = Mapping[str, SampleValue]


class NoStarterError(OnnxopError):
    """No spec can be written for the operator; the text says why."""


@dataclass(frozen=True)
class Starter:
    """A spec's text.

    Attributes:
        op: ``namespace::name``.
        text: the spec.
        origin: ``gallery``; or what a starter proposes: ``decomposed``, ``kernel``, ``node``,
            ``bare``; or ``own``, of the user's.
        is_proved: whether it was tried, and gave PyTorch's values.
        is_called: whether PyTorch takes its samples.
        is_needed: whether one of PyTorch's exporters does not write them right by itself.
    """

    op: str
    text: str
    origin: str
    is_proved: bool
    is_called: bool = True
    is_needed: bool = True

    @property
    def is_pure(self) -> bool:
        """Whether it needs no compiler, so that it can be tried by registering it."""
        kernel = tomllib.loads(self.text).get("kernel")
        return kernel is None or "python" in kernel

    @property
    def file(self) -> str:
        """What to call it: by the name that the package has for it."""
        name = tomllib.loads(self.text)["op"].get("name")
        return f"{name or self.op.partition('::')[2].replace('.', '_').lstrip('_')}.toml"


def write_all(name: str, requires: Sequence[str] = ()) -> list[Starter]:
    """Return the spec that `write` gives, and those that it needs beside it."""
    first = write(name, requires)
    needed = gallery.with_needed(first.op)[1:] if first.origin == "gallery" else []
    return [first, *map(write, needed)]


def write(name: str, requires: Sequence[str] = ()) -> Starter:
    """Return the spec of ``namespace::name``, ``namespace::name.overload`` or ``onnx:Name``.

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
            f"{name!r}: is no operator's name; give one, as in aten::erfinv{with_it}; "
            f"onnxop inspect {word or 'WORD'} finds those with a word in their names"
        )
    base, _, overload = name.partition(".")
    key = name if name in gallery.specs() else None
    if key is None and (word := overload or _by_plainness(base, requires)[0]):
        key = gallery.key_of(base, word)
    if key:
        return Starter(key, gallery.text(key), "gallery", is_proved=True)
    return starter(base, overload, requires)


def _of_onnx(name: str, requires: Sequence[str]) -> Starter:
    """The gallery's spec of the operator of like name that maps to the ONNX op."""
    if name not in onnxops.names():
        raise torchops.UnknownError(onnxops.unknown(name))
    known = gallery.specs()
    for op in torchops.like(name, requires):
        if op in known and f"op.{name}(" in gallery.text(op):
            return Starter(op, gallery.text(op), "gallery", is_proved=True)
    raise NoStarterError(
        f"onnx:{name}: the gallery has no operator for it; write a spec of one, with its schema, as in "
        f'schema = "my_lib::my_op(Tensor x) -> Tensor", and mapping = "op.{name}(x)"; onnxop inspect '
        f"onnx:{name} tells its inputs and attributes"
    )


def starter(
    name: str, overload: str = "", requires: Sequence[str] = (), given: Sequence[Sample] = ()
) -> Starter:
    """Return a starter for an operator that PyTorch has: what the dynamo exporter makes of it, where
    that is right for each sample; else a kernel. Without samples that are given, one is guessed.

    Raises:
        UnknownError: there is no such operator.
        NoStarterError: there can be no spec of it.
    """
    schema, full = _schema(name, overload, requires)
    called = getattr(torchops.packet(name, requires), schema.overload or "default")
    guess = guesses.Guess(given[0], runs=True) if given else guesses.first(schema, called)
    own = given or (guess.sample,)
    stock = _stock(schema, called, own) if guess.runs else {}
    is_right = {exporter: all(o.is_right for o in found) for exporter, found in stock.items()}
    is_random = any(outcome.kind == "random" for found in stock.values() for outcome in found)
    problem = tried = ""
    proposals = [*_kernels(schema)]
    if is_right.get("dynamo", True):
        proposals.insert(0, ("decomposed", "[onnx]\ndecomposed = true"))
    else:
        wrong = next(outcome for outcome in stock["dynamo"] if not outcome.is_right)
        tried = f"; tried as decomposed = true: {wrong.why or wrong.kind}"
    for origin, tables in proposals:
        is_proved = origin == "decomposed" and bool(stock) and not is_random
        checks = [*_CHECKS[origin, is_proved], *_by_itself(stock)]
        needed = torchops.modules(schema.namespace, requires)
        text = _text(name, schema, full, needed, checks, tables, own, is_called=guess.runs)
        try:
            parse(text)
        except SpecError as error:
            problem = problem or error.lines[0].split("\n")[0].partition(": ")[2]
            continue
        is_needed = not (stock and all(is_right.values()))
        return Starter(name, text, origin, is_proved, guess.runs, is_needed)
    if not guess.runs:
        problem = (
            "PyTorch takes none of the calls that its types suggest; write a spec with a sample that "
            "it takes"
        )
    problem = problem.partition("; ")[0] if tried else problem
    raise NoStarterError(f"{name}: there can be no spec of it: {problem}{tried}")


def why_none(name: str, overload: str = "", requires: Sequence[str] = ()) -> str:
    """Say why there can be no spec of an operator that PyTorch has, where its signature tells."""
    try:
        _schema(name, overload, requires)
    except NoStarterError as error:
        return str(error)
    return ""


def _schema(name: str, overload: str, requires: Sequence[str]) -> tuple[OpSchema, str]:
    """The first overload that a spec can have, or the one asked for, and its text."""
    found = torchops.schemas(name, requires)
    words = [overload] if overload else _by_plainness(name, requires)
    modules = torchops.modules(name.partition("::")[0], requires)
    why = ""
    for word in words:
        problems = Problems()
        text = f"{name}.{word}" if word else name
        schema = signature.parse(text, problems, modules, public(name))
        if schema is not None:
            return schema, found.get(word, text)
        why = why or "; ".join(problem.message for problem in problems)
    raise NoStarterError(f"{name}: there can be no spec of it: {why}")


def public(name: str) -> str:
    """Return what a package calls an operator whose name begins with an underscore; empty for others."""
    plain = name.partition("::")[2]
    return plain.lstrip("_") if plain.startswith("_") else ""


def _by_plainness(name: str, requires: Sequence[str]) -> list[str]:
    """The operator's overloads, those that calls have most first."""
    order = ("", "Tensor", "Tensor_Tensor", "self", "input", "src", "int", "dim", "default")
    rank = {overload: place for place, overload in enumerate(order)}
    every = sorted(torchops.schemas(name, requires))
    return sorted(every, key=lambda overload: rank.get(overload, len(order)))


def _stock(
    schema: OpSchema, overload: Any, given: Sequence[Sample]
) -> dict[str, tuple[Outcome, ...]]:
    """What PyTorch's exporters make of each sample without a spec."""
    every = [guesses.arguments(schema, sample) for sample in given]
    calls = [one_call(overload, *guesses.split(overload, each)) for each in every]
    trial.ready()
    jobs = [(exporter, call) for exporter in trial.EXPORTERS for call in calls]
    works = [partial(trial.tried, call, exporter, _OPSET) for exporter, call in jobs]
    answers = dict(trial.outcomes(works))
    found: dict[str, tuple[Outcome, ...]] = {}
    for place, (exporter, _) in enumerate(jobs):
        found[exporter] = (*found.get(exporter, ()), answers[place])
    return found


def _kernels(schema: OpSchema) -> Iterator[tuple[str, str]]:
    """Tables [onnx] and [kernel] of a node of a domain, and what they propose."""
    node = f'[onnx]\ndomain = "{_DOMAIN}"'
    if schema.name in onnxdefs.versions():
        node += f'\nop_type = "{schema.name}Op"'
    if schema.name in FUNCTIONS:
        arguments = ", ".join(argument.name for argument in schema.free)
        yield "kernel", f'{node}\n\n[kernel]\nelementwise = "{schema.name}({arguments})"'
    yield "node", f'{node}\n\n[kernel]\nsource = "{schema.called}.h"'
    yield "bare", node


def _by_itself(stock: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    for exporter, outcomes in stock.items():
        wrong = (
            f"sample {at}, {WORDS[each.kind]}"
            for at, each in enumerate(outcomes, 1)
            if not each.is_right
        )
        yield f"By itself, PyTorch's {exporter} exporter, opset {_OPSET}: {next(wrong, 'right')}."


def _text(
    name: str,
    schema: OpSchema,
    full: str,
    requires: Sequence[str],
    checks: Sequence[str],
    tables: str,
    given: Sequence[Sample],
    *,
    is_called: bool,
) -> str:
    word = f".{schema.overload}" if schema.overload else ""
    lines = [f"# A starter for {name}, by onnxop new --from.", *(f"# {note}" for note in checks)]
    lines += ["", "[op]", f"# {full}", f'schema = "{name}{word}"']
    if schema.given_name:
        lines.append(f'name = "{schema.given_name}"')
    if requires:
        modules = ", ".join(f'"{module}"' for module in requires)
        lines.append(f"requires = [{modules}]")
    if package := gallery.package_table(schema.called):
        lines += ["", package]
    lines += ["", tables, ""]
    if is_called:
        lines.append("# Check: the values that your model gives; more tables are more tests.")
        lines.append('# A size with a name, "float32[n=4, 5]", is a dynamic axis of the tests.')
    else:
        lines.append("# Check: PyTorch took none of the calls that were guessed; write one.")
    for sample in given:
        lines += [sample_values.table(sample), ""]
    return "\n".join(lines)


_CHECKS: dict[tuple[str, bool], tuple[str, ...]] = {
    ("decomposed", True): (
        "Tried on what is below, which PyTorch's dynamo exporter writes right; this gives the operator",
        "to TorchScript's, too. Other calls go the same way, untried: add samples of yours.",
    ),
    ("decomposed", False): ("Check: that the dynamo exporter writes the operator right.",),
    ("kernel", False): (
        "A node of a domain with a C++ kernel of <cmath>'s function. Check: that it computes the same,",
        "and the domain's name. A mapping, where ONNX can say it, needs no kernel.",
    ),
    ("node", False): (
        "A node of a domain, with a C++ kernel whose first version onnxop new writes. Check: write a",
        'mapping instead where ONNX can say it: opset = 13, mapping = "op.Exp(self)"; else the',
        "kernel, and the domain's name.",
    ),
    ("bare", False): (
        "A node of a domain, alone: for a runtime that knows it. Check: write a mapping instead where",
        "ONNX can say it, and the domain's name.",
    ),
}
