"""What the kernel, or the operator that exists, gives of each sample and error case, held against the mapping.

PyTorch is called by a process of its own: without values for dtypes and sizes, with values where the mapping's
models are run.
"""

from __future__ import annotations

import base64
import json
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from onnxop_runtime.mapping.checking import Checked
from onnxop_runtime.mapping.definitions import element_type, element_types
from onnxop_runtime.mapping.sample_model import SampleModel

from .. import pyexpr
from ..code.torchexpr import to_torch
from ..errors import Path, Problems, listed
from ..kernel.composed import Composed, Function
from ..kernel.kinds import Elementwise, Kernel, Source, is_boolean
from ..schema.arguments import Argument
from ..schema.signature import OpSchema
from ..spec import derivatives
from ..spec.samples import read_sample
from ..spec.tables import Tables
from ..spec.tensors import Literal, RandomTensor, SampleValue, TensorList, tensors_of
from .torch_process import Answer, TorchProcess

_DEFAULT = "the default sample, float32[1, 3, 10, 10] each"
_SECONDS, _LONGER = 5, 10  # of computing, for a call without values, and with them
_DRAWING = frozenset(
    "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike".split()
)

Sample = Mapping[str, SampleValue]
_process = lru_cache(maxsize=1)(TorchProcess)


def number_of(dtype: str) -> int:
    """Return ONNX's number of one of PyTorch's dtypes."""
    numbers = {name: number for number, name in element_types().items()}
    return numbers[element_type(dtype)]


@dataclass(frozen=True)
class NamedSample:
    """The arguments of a call: what messages call it, and which sample of the spec it is of; ``may_raise``: PyTorch
    may refuse it.
    """

    name: str
    place: int
    sample: Sample
    may_raise: bool = False


def named(tables: Tables, samples: Sequence[Sample]) -> list[NamedSample]:
    """Return the samples, or the one that stands in where none is given, by their names."""
    is_given = bool(tables.document.samples)
    names = [f"sample {place + 1}" if is_given else _DEFAULT for place in range(len(samples))]
    return [NamedSample(name, place, samples[place]) for place, name in enumerate(names)]


def larger(calls: Sequence[NamedSample]) -> list[NamedSample]:
    """Return calls at the larger sizes that their named sizes have in tests of dynamic dimensions, where there
    are such.
    """
    found = []
    for call in calls:
        sample = {name: _larger(value) for name, value in call.sample.items()}
        if sample != call.sample:
            name = f"{call.name} with every named size one larger"
            found.append(replace(call, name=name, sample=sample))
    return found


def without(calls: Sequence[NamedSample], names: Sequence[str]) -> list[NamedSample]:
    """Return the first call with one argument after another None, which PyTorch may refuse."""
    return [_with(call, f"{name} None", name, "None") for call in calls[:1] for name in names]


def varied(calls: Sequence[NamedSample], schema: OpSchema) -> list[NamedSample]:
    """Return the first call with one truth value or float after another that is its default in every
    call as another one, which PyTorch may refuse.
    """
    found = []
    for argument in schema.free if calls else ():
        name, default = argument.name, argument.default
        is_left = not any(call.sample.get(name) for call in calls)
        if is_left and isinstance(default, bool | float) and not argument.is_list:
            other = not default if isinstance(default, bool) else default * 1.25 + 0.5
            if not math.isfinite(other):
                continue
            found.append(_with(calls[0], f"{name} = {str(other).lower()}", name, repr(other)))
    return found


def _with(call: NamedSample, words: str, name: str, value: str) -> NamedSample:
    """Return a call with another value of an argument, which PyTorch may refuse."""
    sample = {**call.sample, name: Literal(value)}
    return replace(call, name=f"{call.name} with {words}", sample=sample, may_raise=True)


def _larger(value: SampleValue) -> SampleValue:
    match value:
        case TensorList(items=items):
            return replace(value, items=tuple(map(_larger, items)))  # type: ignore[arg-type]
        case RandomTensor(sizes=sizes, larger=larger) if not all(map(str.isdecimal, sizes)):
            return replace(value, shape=larger, sizes=())
    return value


def check(
    tables: Tables,
    schema: OpSchema,
    kernel: Kernel | None,
    mapping: Checked | None,
    calls: Sequence[NamedSample],
    *,
    is_run: bool = False,
) -> Iterator[None]:
    """Note where the samples' calls are refused in PyTorch, or give other than the mapping, and which error
    cases raise nothing. Yield once PyTorch is asked, and wait for its answer then.

    Args:
        tables: the spec, in which problems are noted.
        schema: the operator.
        kernel: what computes it; None: PyTorch's own operator.
        mapping: what is known of the mapping; None where it is wrong, or there is none.
        calls: the calls of the samples, in the order in which ``mapping`` has their models.
        is_run: whether the models of the samples are run, too, and values and gradients compared.
    """
    code = _code(schema, kernel, is_run=is_run)
    cases = _as_samples(tables, schema, kernel)
    models: Sequence[Mapping[int, SampleModel]] = ()
    has_reference = not isinstance(kernel, Source) or kernel.reference is not None
    if is_run and mapping is not None and has_reference and not any(map(_drawn, mapping.models)):
        models = mapping.models
    answers: list[Answer] = [{} for _ in calls]
    returns = [isinstance(kernel, Elementwise)] * len(cases)
    if code is not None:
        formulas = derivatives.read(tables, schema)
        process = _process(_SECONDS, _LONGER)
        asked = {
            "modules": [*tables.requires],
            "code": code,
            "operator": f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}",
            "calls": [_call(call.sample, schema) for call in calls],
            "models": [[(o, _encoded(m), m.results) for o, m in each.items()] for each in models],
            "outputs": schema.results if schema.has_several else ["result"],
            "gradients": {name: formula.code for name, formula in formulas.items() if formula},
            "errors": [_call(case, schema) for case in cases.values()],
        }
        process.ask(question := json.dumps(asked))
        yield
        told = process.answer(question)
        if told is not None:  # the first that is missing is a call that never ends
            count, never_ends = len(calls), {"never_ends": True}
            answers = [*told[:count], *[never_ends] * (count - len(told))]
            if isinstance(kernel, Composed) and kernel.fake is not None:
                # It is the fake that takes tensors without values.
                answers = [{k: v for k, v in a.items() if k != "raises"} for a in answers]
            values = [*told[count:], {"takes_long": True}][: len(models)]
            answers[: len(values)] = [a | v for a, v in zip(answers, values, strict=False)]
            returns = [answer["returns"] for answer in told[count + len(models) :]]
    noted = set[Path]()
    for row, (call, answer) in enumerate(zip(calls, answers, strict=True)):
        if isinstance(kernel, Elementwise):
            answer["results"] = [_elementwise(kernel, schema, call.sample)]
        traced = None if mapping is None else (mapping.models[row], mapping.results[row])
        for path, fact in _problems(schema, kernel, traced, call, answer):
            if path not in noted:
                on_key = path[0] == "samples" and bool(tables.document.samples)
                tables.problems.add(path, fact, on_key=on_key)
            noted.add(path)
    for path, is_returned in zip(cases, returns, strict=False):
        if is_returned and not tables.problems.concern(*path):
            fact = "this raises nothing; change the case, or remove it"
            tables.problems.add(path, fact, on_key=True)


def _code(schema: OpSchema, kernel: Kernel | None, *, is_run: bool) -> str | None:
    """Return the reference as a function's text; empty for the operator that exists, None for neither."""
    function: Function | None = None
    names = ", ".join(argument.name for argument in schema.arguments)
    match kernel:
        case Composed(function=function) | Source(reference=function):
            pass
        case Elementwise(expression=expression):
            tensors = [tensor.name for tensor in schema.tensors]
            if not is_run:
                return None
            booleans = [scalar.name for scalar in schema.scalars if scalar.kind == "bool"]
            text = to_torch(expression, {}, tensors, booleans)
            # Where it does not name all tensors, it is as large as they are together all the same.
            is_whole = all(tensor in text for tensor in tensors)
            text = text if is_whole else f"torch.as_tensor({text}) + 0 * ({' + '.join(tensors)})"
            return f"import torch, onnxop_runtime\ndef kernel({names}):\n    return {text}\n"
    if function is None:
        return "" if schema.exists else None
    lines = [f"import {module}" for module in ("torch", *function.modules)]
    lines += [f"from {module} import {name}" for module, name in function.names]
    return "\n".join([*lines, f"def kernel({names}):", textwrap.indent(function.body, "    "), ""])


def _as_samples(tables: Tables, schema: OpSchema, kernel: Kernel | None) -> dict[Path, Sample]:
    """Return the error cases that would do as samples, of a kernel that is known to refuse nothing else, or
    that can be called: not C++ by hand, which may refuse more than its reference.
    """
    found: dict[Path, Sample] = {}
    is_elementwise = isinstance(kernel, Elementwise)
    given = [] if isinstance(kernel, Source) else tables.document.errors
    for place, table in enumerate(given):
        path: Path = ("errors", place)
        problems = Problems()
        values = {name: value for name, value in table.items() if name not in ("raises", "match")}
        case = read_sample(values, schema, path, problems, is_elementwise=is_elementwise)
        dtypes = {tensor.dtype for value in case.values() for tensor in tensors_of(value)}
        if not problems and not (is_elementwise and dtypes - {"float32", "float64"}):
            found[path] = case
    return found


def _call(sample: Sample, schema: OpSchema) -> dict[str, Any]:
    """Return a call of all arguments, as `torch_calls` is told it."""
    return {
        a.name: _given(sample[a.name], a) if a.name in sample else pyexpr.literal(a.default)
        for a in schema.arguments
    }


def _given(value: SampleValue, argument: Argument) -> Any:
    match value:
        case TensorList(items=items):
            return [_given(item, argument) for item in items]
        case RandomTensor(dtype=dtype, shape=shape, low=low, high=high):
            return {"dtype": dtype, "shape": [*shape], "low": low, "high": high}
        case Literal(dtype=dtype, shape=shape, expression=text) if dtype:
            return {"dtype": dtype, "shape": [*shape], "values": text}
        case Literal(expression=text):
            kind = argument.kind
            if text == "None" or kind not in ("float", "int"):
                return text
            items_ = text if text.startswith("[") else f"[{text}] * {argument.length}"
            return f"[*map({kind}, {items_})]" if argument.is_list else f"{kind}({text})"


def _encoded(built: SampleModel) -> str:
    built.model.ir_version = 10
    return base64.b64encode(built.model.SerializeToString()).decode()


def _drawn(models: Mapping[int, SampleModel]) -> str:
    """Return the mapping's first op that draws random numbers."""
    nodes = (node for model in models.values() for node in model.nodes.values())
    return next((f"op.{node.op}" for node in nodes if node.op in _DRAWING), "")


def _elementwise(kernel: Elementwise, schema: OpSchema, sample: Sample) -> list[Any]:
    """Return the result's dtype, sizes and device, without asking PyTorch."""
    tensors = [tensor for value in sample.values() for tensor in tensors_of(value)]
    sizes: list[int] = []
    for tensor in tensors:
        longer, shorter = sorted((sizes, [*tensor.shape]), key=len, reverse=True)
        shorter = [1] * (len(longer) - len(shorter)) + shorter
        sizes = [other if one == 1 else one for one, other in zip(longer, shorter, strict=True)]
    dtype = "bool" if is_boolean(kernel.expression, schema) else tensors[0].dtype
    return [dtype, sizes, "cpu"]


def _problems(
    schema: OpSchema,
    kernel: Kernel | None,
    traced: tuple[Mapping[int, SampleModel], Sequence[Any]] | None,
    call: NamedSample,
    answer: Answer,
) -> Iterator[tuple[Path, str]]:
    """Yield what is wrong with the kernel, the call, the mapping or a gradient, and its place."""
    is_own, sample = kernel is not None, call.name
    who, what = ("[kernel]", "this") if is_own else ("PyTorch", "PyTorch's own operator")
    called: Path = ("kernel", "python") if is_own else ("samples", call.place)
    written: Path = ("onnx", "mapping")
    if answer.get("never_ends"):
        yield called, f"{what} takes more than {_SECONDS} s for {sample}; write what ends"
        return
    if answer.get("takes_long"):
        fact = f"to compare values takes more than {_LONGER} s for {sample}, by this, [kernel] or a gradient"
        yield written, f"{fact}; write what ends, or give --no-run"
    if (raises := answer.get("raises")) and not call.may_raise:
        yield called, f"{what} refuses {sample}: {raises.rstrip('.')}; change one of them"
    if answer.get("draws"):
        fact = f"{what} draws random numbers, as two calls of {sample} differ, which no mapping gives again"
        yield called, f"{fact}; take them as an argument"
    if answer.get("changes"):
        fact = f"{what} changes a tensor of the caller's in {sample}"
        yield called, f"{fact}; write x = x.clone() above, for the x that it changes"
    results = answer.get("results")
    if results and is_own and (fact := _wrong_results(results, schema, sample)):
        yield called, f"{what} {fact}"
        return
    if results and traced is not None:
        models, given = traced
        if is_own and (op := _drawn(models)):
            fact = f"the mapping draws random numbers ({op}), which no kernel gives again"
            yield written, f"{fact}; take them as an argument"
        elif given and (fact := _unlike(results, given, schema, who, sample)):
            yield written, f"the mapping {fact}"
    at = f" at opset {answer['at']}" if "at" in answer else ""
    if why := answer.get("refused"):
        fact = f"ONNX Runtime refuses the mapping of {sample}{at}: {why.rstrip('.')}"
        yield written, f"{fact}; change the mapping, or the sample"
    if differs := answer.get("differs"):
        fact = f"the mapping gives other values than {who} in {sample}{at}"
        yield written, _worst(fact, *differs)
    for tensor, differs in answer.get("gradients", {}).items():
        fact = f"the gradient is not that of [kernel] in {sample}"
        yield ("autograd", tensor), _worst(fact, *differs)


def _worst(fact: str, worst: float, failures: Sequence[str]) -> str:
    return f"{fact}: the worst error is {worst:.2g} ({failures[0]}); change one of them"


def _wrong_results(results: Sequence[Any], schema: OpSchema, sample: str) -> str:
    """Return what is wrong with the results by themselves, and what to write."""
    wanted = schema.results
    if no_tensor := next((each for each in results if isinstance(each, str)), ""):
        fact = f"gives a value of type {no_tensor}, and no tensor, for {sample}"
        return f"{fact}; write a torch expression, such as 2 * a"
    if len(results) != len(wanted) and not schema.returns_list:
        what = f"{len(wanted)} tensors ({listed(wanted)})" if len(wanted) > 1 else "one tensor"
        return f"gives {len(results)} for {sample}, but the schema {what}; write as many"
    if device := next((device for *_, device in results if device != "cpu"), ""):
        fact = f"computes on {device} for {sample}, where no argument is"
        return f"{fact}; leave the device to these: x.to(y.device), or device=x.device"
    return ""


def _unlike(
    results: Sequence[Any], given: Sequence[Any], schema: OpSchema, who: str, sample: str
) -> str:
    """Return what a mapping gives otherwise than PyTorch, and what to write; nothing where it is alike."""
    if len(results) != len(given):
        return f"gives {len(given)} tensors in {sample}, but {who} {len(results)}; write as many"
    for place, (result, onnx) in enumerate(zip(results, given, strict=True)):
        if onnx is None or isinstance(result, str):
            continue
        (wanted, shape, _), (dtype, sizes) = result, onnx
        is_alike = sizes is None or (
            len(sizes) == len(shape)
            and all(a in (None, b) for a, b in zip(sizes, shape, strict=True))
        )
        if dtype == wanted and is_alike:
            continue
        word = f" as {schema.results[place]}" if schema.has_several else ""
        fact = f"gives {_shown(dtype, sizes)}{word} in {sample}, but {who} gives {_shown(wanted, shape)}"
        if not is_alike:
            return f"{fact}; change one of them"
        return f"{fact}; write op.Cast(x, to={number_of(wanted)}) for an x that must be {wanted}"
    return ""


def _shown(dtype: str, sizes: Sequence[int | None] | None) -> str:
    words = ["?" if size is None else str(size) for size in sizes or ()]
    return dtype if sizes is None else f"{dtype}[{', '.join(words)}]"
