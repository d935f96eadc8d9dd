"""A kernel's, or an existing operator's, results and errors → problems where the mapping differs.

Another process calls PyTorch: without values to get dtypes and sizes, with values to run the mapping's
models.
"""

from __future__ import annotations

import base64
import json
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from onnxop_runtime.mapping.checking import Checked
from onnxop_runtime.mapping.definitions import ELEMENT_TYPES, element_type
from onnxop_runtime.mapping.sample_model import SampleModel
from onnxop_runtime.specs.arguments import Argument

from .. import pyexpr
from ..code.torchexpr import to_torch
from ..errors import Path, Problems, listed
from ..kernel.composed import Composed, Function
from ..kernel.kinds import Elementwise, Kernel, Source, is_boolean
from ..schema import registry
from ..schema.signature import OpSchema
from ..spec import derivatives
from ..spec.samples import read_sample
from ..spec.tables import Tables
from ..spec.tensors import Literal, RandomTensor, SampleValue, TensorList, tensors_of
from .torch_process import Answer, TorchProcess

_LOG = logging.getLogger("onnxop")
_DEFAULT = "the default sample, float32[1, 3, 10, 10] each"
_SECONDS, _LONGER = 5, 10  # of computing, for a call without values, and with them
_DRAWING = frozenset(
    "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike".split()
)

Sample = Mapping[str, SampleValue]
_process = lru_cache(maxsize=1)(TorchProcess)


def number_of(dtype: str) -> int:
    """Return ONNX's number for a PyTorch dtype."""
    return {name: number for number, name in ELEMENT_TYPES.items()}[element_type(dtype)]


@dataclass(frozen=True)
class NamedSample:
    """A call: its arguments, its name in messages, and its index among the spec's samples.
    ``may_raise``: an error in PyTorch is not a problem.
    """

    name: str
    place: int
    sample: Sample
    may_raise: bool = False


def named(tables: Tables, samples: Sequence[Sample]) -> list[NamedSample]:
    """Return the samples, or the default one, with their names."""
    is_given = bool(tables.document.samples)
    names = [f"sample {place + 1}" if is_given else _DEFAULT for place in range(len(samples))]
    return [NamedSample(name, place, samples[place]) for place, name in enumerate(names)]


def larger(calls: Sequence[NamedSample]) -> list[NamedSample]:
    """Return the calls with named sizes, at the larger sizes that test dynamic dimensions."""
    enlarged = []
    for call in calls:
        sample = {name: _larger(value) for name, value in call.sample.items()}
        if sample != call.sample:
            name = f"{call.name} with every named size one larger"
            enlarged.append(replace(call, name=name, sample=sample))
    return enlarged


def without(calls: Sequence[NamedSample], names: Sequence[str]) -> list[NamedSample]:
    """Return variants of the first call, each with None for one argument. They may raise."""
    return [_with(call, f"{name} None", name, "None") for call in calls[:1] for name in names]


def varied(calls: Sequence[NamedSample], schema: OpSchema) -> list[NamedSample]:
    """Return variants of the first call: each changes one bool or float that no call sets."""
    variants = []
    for argument in schema.free if calls else ():
        name, default = argument.name, argument.default
        is_left = not any(call.sample.get(name) for call in calls)
        if is_left and isinstance(default, bool | float) and not argument.is_list:
            other = not default if isinstance(default, bool) else default * 1.25 + 0.5
            if not math.isfinite(other):
                continue
            variants.append(_with(calls[0], f"{name} = {str(other).lower()}", name, repr(other)))
    return variants


def _with(call: NamedSample, change: str, name: str, value: str) -> NamedSample:
    """Return the call with another value for an argument. It may raise."""
    sample = {**call.sample, name: Literal(value)}
    return replace(call, name=f"{call.name} with {change}", sample=sample, may_raise=True)


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
    """Add problems if PyTorch rejects a sample or differs from the mapping, and if an error case
    raises nothing. Yield once the question is sent, then wait for PyTorch's answer.

    ``kernel`` is None for PyTorch's own operator, ``mapping`` if it is wrong or missing.
    ``calls`` are in the order of its models; ``is_run``: run these, compare values and gradients.
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
        content = {
            "modules": [*tables.requires],
            "code": code,
            "paths": _paths(kernel),
            "operator": f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}",
            "calls": [_call(call.sample, schema) for call in calls],
            "models": [[(o, _encoded(m), m.results) for o, m in row.items()] for row in models],
            "outputs": schema.results if schema.has_several else ["result"],
            "gradients": {name: formula.code for name, formula in formulas.items() if formula},
            "errors": [_call(case, schema) for case in cases.values()],
        }
        registry.tell_imports(tables.requires)
        process.ask(question := json.dumps(content))
        yield
        answered = process.answer(question)
        if answered:
            _tell_rights(answered[0]["rights"])
            answered = answered[1:]
        if answered is not None:  # the first missing answer is that of a call that never ends
            count, never_ends = len(calls), {"never_ends": True}
            answers = [*answered[:count], *[never_ends] * (count - len(answered))]
            if isinstance(kernel, Composed) and kernel.fake is not None:
                # The fake kernel, not this one, takes tensors without values.
                answers = [{k: v for k, v in a.items() if k != "raises"} for a in answers]
            values = [*answered[count:], {"takes_long": True}][: len(models)]
            answers[: len(values)] = [a | v for a, v in zip(answers, values, strict=False)]
            returns = [answer["returns"] for answer in answered[count + len(models) :]]
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
    """Return the code of the reference. It is "" for an existing operator, None if there is no call."""
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
            # The result broadcasts over all tensors, also those that the expression does not name.
            is_whole = all(tensor in text for tensor in tensors)
            text = text if is_whole else f"torch.as_tensor({text}) + 0 * ({' + '.join(tensors)})"
            return f"import torch, onnxop_runtime\ndef kernel({names}):\n    return {text}\n"
    if function is None:
        return "" if schema.exists else None
    lines = [f"import {module}" for module in ("torch", *function.modules)]
    lines += [f"from {module} import {name}" for module, name in function.names]
    body = [f"    {line}" for line in function.body.split("\n")]
    return "\n".join([*lines, f"def kernel({names}):", *body, ""])


def _paths(kernel: Kernel | None) -> list[str]:
    """Return the operators of required modules that a kernel or its reference calls."""
    match kernel:
        case Composed(function=function, fake=fake):
            return [*function.paths, *(fake.paths if fake else ())]
        case Source(reference=Function() as function):
            return [*function.paths]
    return []


def _tell_rights(rights: Sequence[str]) -> None:
    """Tell which rights the process that runs a spec's code still has."""
    if rights:
        missing = "this system has neither Landlock nor seccomp for it"
        _LOG.warning("the code of specs may %s: %s", listed(rights), missing)


def _as_samples(tables: Tables, schema: OpSchema, kernel: Kernel | None) -> dict[Path, Sample]:
    """Return the error cases that are valid samples. C++ may reject any, so it has none."""
    cases: dict[Path, Sample] = {}
    is_elementwise = isinstance(kernel, Elementwise)
    for place, table in enumerate([] if isinstance(kernel, Source) else tables.document.errors):
        path: Path = ("errors", place)
        problems = Problems()
        values = {name: value for name, value in table.items() if name not in ("raises", "match")}
        case = read_sample(values, schema, path, problems, is_elementwise=is_elementwise)
        dtypes = {tensor.dtype for value in case.values() for tensor in tensors_of(value)}
        if not problems and not (is_elementwise and dtypes - {"float32", "float64"}):
            cases[path] = case
    return cases


def _call(sample: Sample, schema: OpSchema) -> dict[str, Any]:
    """Return a call with all arguments, in `torch_calls`' format."""
    return {
        a.name: _encoded_argument(sample[a.name], a)
        if a.name in sample
        else pyexpr.literal(a.default)
        for a in schema.arguments
    }


def _encoded_argument(value: SampleValue, argument: Argument) -> Any:
    match value:
        case TensorList(items=items):
            return [_encoded_argument(item, argument) for item in items]
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
    """Return the mapping's first op that draws random numbers, or an empty string."""
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
    """Yield the problems of the kernel, the call, the mapping and gradients, with their places."""
    is_own, sample = kernel is not None, call.name
    owner, caller = ("[kernel]", "this") if is_own else ("PyTorch", "PyTorch's own operator")
    called: Path = ("kernel", "python") if is_own else ("samples", call.place)
    written: Path = ("onnx", "mapping")
    if fact := answer.get("forbidden"):
        yield called, fact
        return
    if death := answer.get("died"):
        yield called, f"{caller} fails in {sample}: {death}; correct it"
        return
    if answer.get("never_ends"):
        yield called, f"{caller} takes more than {_SECONDS} s for {sample}; make it end"
        return
    if answer.get("takes_long"):
        fact = f"the mapping, [kernel] or a gradient takes more than {_LONGER} s for {sample}"
        yield written, f"{fact}; make it end, or give --no-run"
    if (raises := answer.get("raises")) and not call.may_raise:
        remedy = f"correct {'[kernel], or ' * is_own}the sample"
        yield called, f"{caller} raises for {sample}: {raises.rstrip('.')}; {remedy}"
    if answer.get("draws"):
        fact = f"{caller} draws random numbers (two calls of {sample} differ), which no mapping reproduces"
        yield called, f"{fact}; take them as an argument"
    if answer.get("changes"):
        yield called, f"{caller} modifies an input in {sample}; write x = x.clone() before it does"
    results = answer.get("results")
    if results and is_own and (fact := _wrong_results(results, schema, sample)):
        yield called, f"{caller} {fact}"
        return
    if results and traced is not None:
        models, onnx_results = traced
        if is_own and (op := _drawn(models)):
            fact = f"the mapping draws random numbers ({op}), which no kernel reproduces"
            yield written, f"{fact}; take them as an argument"
        elif onnx_results and (fact := _unlike(results, onnx_results, schema, owner, sample)):
            yield written, f"the mapping {fact}"
    at = f" at opset {answer['at']}" if "at" in answer else ""
    if why := answer.get("refused"):
        fact = f"ONNX Runtime rejects the mapping for {sample}{at}: {why.rstrip('.')}"
        yield written, f"{fact}; change the mapping, or the sample"
    if differs := answer.get("differs"):
        fact = f"the mapping's values differ from {owner}'s in {sample}{at}"
        yield written, _worst(fact, "correct the mapping" + ", or [kernel]" * is_own, *differs)
    for tensor, differs in answer.get("gradients", {}).items():
        fact = f"the gradient differs from autograd's through [kernel] in {sample}"
        yield ("autograd", tensor), _worst(fact, "correct the formula, or [kernel]", *differs)


def _worst(fact: str, remedy: str, worst: float, failures: Sequence[str]) -> str:
    return f"{fact}: the worst error is {worst:.2g} ({failures[0]}); {remedy}"


def _wrong_results(results: Sequence[Any], schema: OpSchema, sample: str) -> str:
    """Return what is wrong with the results themselves, and the remedy."""
    wanted = schema.results
    if no_tensor := next((result for result in results if isinstance(result, str)), ""):
        fact = f"returns a value of type {no_tensor} instead of a tensor for {sample}"
        return f"{fact}; write a torch expression, such as 2 * a"
    if len(results) != len(wanted) and not schema.returns_list:
        count = f"{len(wanted)} results ({listed(wanted)})" if len(wanted) > 1 else "one result"
        return f"returns {len(results)} for {sample}, but the schema has {count}; return as many"
    if device := next((device for *_, device in results if device != "cpu"), ""):
        fact = f"returns a tensor on {device} for {sample}, but no argument is there"
        return f"{fact}; use an argument's device: x.to(y.device), or device=x.device"
    return ""


def _unlike(
    results: Sequence[Any], onnx_results: Sequence[Any], schema: OpSchema, owner: str, sample: str
) -> str:
    """Return how the mapping's results differ from PyTorch's, with a remedy, or an empty string."""
    if len(results) != len(onnx_results):
        fact = f"returns {len(onnx_results)} tensors in {sample}"
        return f"{fact}, but {owner} returns {len(results)}; return as many"
    for place, (result, onnx) in enumerate(zip(results, onnx_results, strict=True)):
        if onnx is None or isinstance(result, str):
            continue
        (wanted, shape, _), (dtype, sizes) = result, onnx
        is_alike = sizes is None or (
            len(sizes) == len(shape)
            and all(a in (None, b) for a, b in zip(sizes, shape, strict=True))
        )
        if dtype == wanted and is_alike:
            continue
        name = f" as {schema.results[place]}" if schema.has_several else ""
        fact = f"returns {_shown(dtype, sizes)}{name} in {sample}"
        fact += f", but {owner} returns {_shown(wanted, shape)}"
        if not is_alike:
            return f"{fact}; correct the mapping" + ", or [kernel]" * (owner == "[kernel]")
        return f"{fact}; write op.Cast(x, to={number_of(wanted)}) for an x that must be {wanted}"
    return ""


def _shown(dtype: str, sizes: Sequence[int | None] | None) -> str:
    dimensions = ["?" if size is None else str(size) for size in sizes or ()]
    return dtype if sizes is None else f"{dtype}[{', '.join(dimensions)}]"
