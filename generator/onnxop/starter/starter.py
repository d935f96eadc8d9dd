"""An operator → a spec for it: the gallery's, or a starter that passes ``onnxop check``."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from onnxop_runtime.mapping import definitions as onnxdefs
from onnxop_runtime.messages import some
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.tensors import SampleValue

from ..check.load import parse
from ..errors import InvalidSpecError, OnnxopError
from ..find import gallery, onnxops, torchops
from ..kernel.expression import FUNCTIONS
from ..schema import signature
from ..trial import trial
from ..trial.call import Call, call_of_overload, together
from ..trial.outcome import WORDS, Outcome
from . import guesses, sample_values

if TYPE_CHECKING:
    from onnxop_runtime.torch_internals import OpOverload

_OPSET = 20  # at which PyTorch's own exporters are tried
_DOMAIN = "my_lib"  # of a node that ONNX lacks; for the user to rename

Sample = Mapping[str, SampleValue]


class NoStarterError(OnnxopError):
    """No spec can be written for the operator; the text says why."""


@dataclass(frozen=True)
class Starter:
    """The text of a spec for ``namespace::name``.

    ``origin``: ``gallery``, ``own`` (the user's), or what a starter proposes: ``decomposed``,
    ``composed``, ``kernel``, ``node``, ``bare``. ``is_proved``: it was tried, and gave PyTorch's
    values. ``is_called``: PyTorch accepts its samples. ``is_needed``: one of PyTorch's exporters
    alone does not export them right.
    """

    op: str
    text: str
    origin: str
    is_proved: bool
    is_called: bool = True
    is_needed: bool = True

    @property
    def is_pure(self) -> bool:
        """Return whether the spec needs no compiler, so that registering is enough to try
        the op.
        """
        kernel = tomllib.loads(self.text).get("kernel")
        return kernel is None or "python" in kernel

    @property
    def file(self) -> str:
        """Return its file's name, after the package's name for the operator."""
        name = tomllib.loads(self.text)["op"].get("name")
        return f"{name or self.op.partition('::')[2].replace('.', '_').lstrip('_')}.toml"


def write_specs(name: str, requires: Sequence[str] = ()) -> list[Starter]:
    """Return the spec that `write_spec` returns, and the other specs that it needs."""
    first = write_spec(name, requires)
    needed = gallery.with_needed(first.op)[1:] if first.origin == "gallery" else []
    return [first, *map(write_spec, needed)]


def write_spec(name: str, requires: Sequence[str] = ()) -> Starter:
    """Return the spec of ``namespace::name``, ``namespace::name.overload`` or ``onnx:Name``. Raise
    `UnknownError` if there is no such operator, `NoStarterError` if no spec is possible.
    """
    onnx_op = name.removeprefix("onnx:").lstrip(":")
    if name.startswith("onnx:") and onnx_op:
        return _starter_of_onnx_op(onnx_op, requires)
    name = torchops.name_of(name)
    if not all(name.partition("::")):
        part = name.removeprefix("onnx:").strip(":")
        similar = [op for op in torchops.public(requires) if part and part.lower() in op]
        with_it = f"; similar names are {some(similar)}" if similar else ""
        raise torchops.UnknownError(
            f"{name!r}: is not the name of an operator; write one, such as aten::erfinv{with_it}; "
            f"onnxop inspect {part or 'PART'} lists the names that contain it"
        )
    base, _, overload = name.partition(".")
    if name in gallery.specs():
        return Starter(name, gallery.text(name), "gallery", is_proved=True)
    plainest_overload = overload or _most_common_first(base, requires)[0]
    if plainest_overload and (key := gallery.key_of(base, plainest_overload)):
        return Starter(key, gallery.text(key), "gallery", is_proved=True)
    return starter(base, overload, requires)


def _starter_of_onnx_op(name: str, requires: Sequence[str]) -> Starter:
    """Return the gallery's spec of the operator with a similar name that maps to the ONNX op."""
    if name not in onnxops.names():
        raise torchops.UnknownError(onnxops.unknown(name))
    for op in torchops.like(name, requires):
        if op in gallery.specs() and f"op.{name}(" in gallery.text(op):
            return Starter(op, gallery.text(op), "gallery", is_proved=True)
    raise NoStarterError(
        f"onnx:{name}: no gallery spec uses it; write a spec for an operator of your own, with a "
        f'schema such as "my_lib::my_op(Tensor x) -> Tensor" and mapping = "op.{name}(x)"; onnxop inspect onnx:{name} '
        "shows its inputs and attributes"
    )


def starter(
    name: str, overload: str = "", requires: Sequence[str] = (), samples: Sequence[Sample] = ()
) -> Starter:
    """Return a starter for PyTorch's operator: decomposed if the dynamo exporter is right for
    each sample, else a node with a kernel. Without samples, guess one. Raise `UnknownError` if
    there is no such operator, `NoStarterError` if no spec is possible.
    """
    schema, full = _schema(name, overload, requires)
    torch_overload = getattr(torchops.packet(name, requires), schema.overload or "default")
    if samples:
        guess = guesses.Guess(samples[0], runs=True)
    else:
        guess = guesses.first(schema, torch_overload)
    samples = samples or (guess.sample,)
    stock = _stock(schema, torch_overload, samples) if guess.runs else {}
    is_right = {exporter: all(o.is_right for o in outcomes) for exporter, outcomes in stock.items()}
    is_random = any(outcome.kind == "random" for outcomes in stock.values() for outcome in outcomes)
    problem = tried = ""
    proposals = [*_kernels(schema)]
    if is_right.get("dynamo", True):
        proposals.insert(0, ("decomposed", "[onnx]\ndecomposed = true"))
    else:
        wrong = next(outcome for outcome in stock["dynamo"] if not outcome.is_right)
        why = (wrong.why or wrong.kind).partition(". ")[0]
        tried = f"; decomposed = true does not help: {why}"
    needed = torchops.modules(schema.namespace, requires)
    for origin, tables in proposals:
        is_proved = origin == "decomposed" and bool(stock) and not is_random
        checks = [*_CHECKS[origin, is_proved], *_without_spec(stock)]
        text = _text(name, schema, full, needed, checks, tables, samples, is_called=guess.runs)
        try:
            parse(text)
            is_needed = not (stock and all(is_right.values()))
            return Starter(name, text, origin, is_proved, guess.runs, is_needed)
        except InvalidSpecError as error:
            problem = problem or error.lines[0].split("\n")[0].partition(": ")[2]
    if not guess.runs:
        problem = (
            "PyTorch rejects all calls that onnxop guesses from the types; write a spec with a "
            "sample that it accepts"
        )
    problem = problem.partition("; ")[0] if tried else problem
    if tried and problem.rpartition("Error: ")[2] in tried:  # the same error
        tried = ", nor does decomposed = true help"
    raise NoStarterError(f"{name}: no spec can describe it: {problem}{tried}")


def why_none(name: str, overload: str = "", requires: Sequence[str] = ()) -> str:
    """Return why no spec can describe PyTorch's operator, if its schema shows it; else ``""``."""
    try:
        _schema(name, overload, requires)
    except NoStarterError as error:
        return str(error)
    return ""


def _schema(name: str, overload: str, requires: Sequence[str]) -> tuple[OpSchema, str]:
    """Return an overload, by default the first that a spec can describe, and its schema in
    PyTorch.
    """
    texts = torchops.schemas(name, requires)
    modules = torchops.modules(name.partition("::")[0], requires)
    why = ""
    for key in [overload] if overload else _most_common_first(name, requires):
        problems = Problems()
        full_name = f"{name}.{key}" if key else name
        schema = signature.parse(full_name, problems, modules, public(name))
        if schema is not None:
            return schema, texts.get(key, full_name)
        why = why or "; ".join(problem.message for problem in problems)
    raise NoStarterError(f"{name}: no spec can describe it: {why}")


def public(name: str) -> str:
    """Return the package's name for an operator that begins with an underscore; else ``""``."""
    plain = name.partition("::")[2]
    return plain.lstrip("_") if plain.startswith("_") else ""


def _most_common_first(name: str, requires: Sequence[str]) -> list[str]:
    """Return the operator's overloads, in the order of how common their calls are."""
    order = ("", "Tensor", "Tensor_Tensor", "self", "input", "src", "int", "dim", "default")
    rank = {overload: index for index, overload in enumerate(order)}
    overloads = torchops.schemas(name, requires)
    return sorted(overloads, key=lambda overload: (rank.get(overload, len(order)), overload))


def _stock(
    schema: OpSchema, overload: OpOverload, samples: Sequence[Sample]
) -> dict[str, tuple[Outcome, ...]]:
    """Return the outcomes of the samples without a spec, by exporter, up to the first wrong one. An
    export costs more than the calls in it, so all samples are first exported as one model.
    """
    arguments = [guesses.arguments(schema, sample) for sample in samples]
    calls = [call_of_overload(overload, *guesses.split(overload, values)) for values in arguments]
    trial.warm_up_exporters()
    exporters = [*trial.EXPORTERS]
    every = together(calls)
    works = [partial(trial.try_export, every, exporter, _OPSET) for exporter in exporters]
    outcomes = dict(trial.run_works(works))
    stock: dict[str, tuple[Outcome, ...]] = {}
    for index, exporter in enumerate(exporters):
        is_known = len(calls) == 1 or outcomes[index] == Outcome("right")
        outcomes_by_call = (outcomes[index],) * len(calls)
        stock[exporter] = outcomes_by_call if is_known else tuple(_up_to_wrong(exporter, calls))
    return stock


def _up_to_wrong(exporter: str, calls: Sequence[Call]) -> Iterator[Outcome]:
    """Yield the outcomes of calls, each alone, up to the first wrong one."""
    for call in calls:
        work = partial(trial.try_export, call, exporter, _OPSET)
        ((_, outcome),) = trial.run_works([work])
        yield outcome
        if not outcome.is_right:
            return


def _kernels(schema: OpSchema) -> Iterator[tuple[str, str]]:
    """Yield the ways to compute a node of a domain, the shortest first, each as its origin and its
    tables: a formula, if there is a function of the operator's name; a source file; no kernel.
    """
    node = _node_table(schema)
    if schema.name in FUNCTIONS:
        yield "kernel", f'{node}\n\n[kernel]\nelementwise = "{_formula(schema)}"'
    yield "node", f'{node}\n\n[kernel]\nsource = "{schema.public_name}.h"'
    yield "bare", node


def _node_table(schema: OpSchema) -> str:
    """Return the table [onnx] for a node of a domain, whose type is none of ONNX's own."""
    table = f'[onnx]\ndomain = "{_DOMAIN}"'
    if schema.name in onnxdefs.versions():
        return f'{table}\nop_type = "{schema.name}Op"'
    return table


def _formula(schema: OpSchema) -> str:
    """Return a call of the function that has the operator's name."""
    arguments = ", ".join(argument.name for argument in schema.caller_arguments)
    return f"{schema.name}({arguments})"


def _without_spec(stock: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    for exporter, outcomes in stock.items():
        wrong = (
            f"sample {i}: {WORDS[o.kind]}" for i, o in enumerate(outcomes, 1) if not o.is_right
        )
        yield f"Without this spec, the {exporter} exporter, opset {_OPSET}: {next(wrong, 'right')}."


def _text(
    name: str,
    schema: OpSchema,
    full: str,
    requires: Sequence[str],
    checks: Sequence[str],
    tables: str,
    samples: Sequence[Sample],
    *,
    is_called: bool,
) -> str:
    """Return the text of a starter."""
    lines = [f"# A starter for {name}, by onnxop new --from.", *(f"# {note}" for note in checks)]
    lines += ["", "[op]", f"# {full}", f'schema = "{schema.full_name}"']
    if schema.given_name:
        lines.append(f'name = "{schema.given_name}"')
    if requires:
        lines.append(f"requires = {json.dumps(requires)}")
    if package := gallery.package_table(schema.public_name):
        lines += ["", package]
    lines += ["", tables, ""]
    if is_called:
        lines.append("# Check: write the values of your model. Each [[samples]] table is a test.")
        lines.append('# A named size, as in "float32[n=4, 5]", is a dynamic axis in the tests.')
    else:
        lines.append("# Check: PyTorch rejects all guessed calls; write one that it accepts.")
    for sample in samples:
        lines += [sample_values.table(sample), ""]
    return "\n".join(lines)


_CHECKS: dict[tuple[str, bool], tuple[str, ...]] = {
    ("decomposed", True): (
        (
            "The dynamo exporter exports the samples below right. decomposed = true lets the "
            "TorchScript"
        ),
        "exporter use the same decomposition. Other calls are untried: add your samples.",
    ),
    ("decomposed", False): ("Check: the dynamo exporter exports the operator right.",),
    ("kernel", False): (
        (
            "A custom node with a C++ kernel, which calls a function of <cmath>. Check: that it "
            "computes the"
        ),
        "same, and the domain's name. If ONNX has the ops, a mapping needs no kernel.",
    ),
    ("node", False): (
        (
            "A custom node with a C++ kernel, whose skeleton onnxop new writes. Check: if ONNX has "
            "the ops,"
        ),
        (
            'write a mapping instead, such as opset = 13, mapping = "op.Exp(self)"; else write the '
            "kernel,"
        ),
        "and check the domain's name.",
    ),
    ("bare", False): (
        (
            "A custom node without a kernel, for a runtime that knows it. Check: if ONNX has the "
            "ops, write a"
        ),
        "mapping instead; else check the domain's name.",
    ),
}
