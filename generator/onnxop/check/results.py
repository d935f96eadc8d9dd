"""What the kernel, or the operator that exists, gives of each sample and error case, held against the mapping.

PyTorch is called by a process of its own: without values for dtypes and sizes, with values where the mapping's
models are run.
"""

from __future__ import annotations

import atexit
import base64
import json
import select
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

from onnxop_runtime.mapping.checking import Checked
from onnxop_runtime.mapping.definitions import element_type, element_types
from onnxop_runtime.mapping.sample_model import SampleModel

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
from ..words import pyexpr
from . import torch_calls

_DEFAULT = "the default sample, float32[1, 3, 10, 10] each"
_TIMEOUT = 300  # seconds, in which PyTorch and what a spec requires is imported, too
_DRAWING = frozenset(
    "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike".split()
)

Sample = Mapping[str, SampleValue]
Result = tuple[str, tuple[int | None, ...] | None]
Answer = Mapping[str, Any]


def number_of(dtype: str) -> int:
    """Return ONNX's number of one of PyTorch's dtypes."""
    numbers = {name: number for number, name in element_types().items()}
    return numbers[element_type(dtype)]


def name_of(tables: Tables, place: int) -> str:
    """Return what messages call the sample at that place, or the one that stands in where none is given."""
    return f"sample {place + 1}" if tables.document.samples else _DEFAULT


def check(
    tables: Tables,
    schema: OpSchema,
    kernel: Kernel | None,
    mapping: Checked | None,
    samples: Sequence[Sample],
    *,
    is_run: bool = False,
) -> None:
    """Note where the samples' calls are refused in PyTorch, or give other than the mapping, and which error
    cases raise nothing.

    Args:
        tables: the spec, in which problems are noted.
        schema: the operator.
        kernel: what computes it; None: PyTorch's own operator.
        mapping: what is known of the mapping; None where it is wrong, or there is none.
        samples: the arguments of the calls.
        is_run: whether the models of the samples are run, too, and values and gradients compared.
    """
    code = _code(schema, kernel, is_run=is_run)
    cases = _as_samples(tables, schema, kernel)
    models: Sequence[SampleModel] = ()
    has_reference = not isinstance(kernel, Source) or kernel.reference is not None
    if is_run and mapping is not None and has_reference and not any(map(_drawn, mapping.models)):
        models = mapping.models
    told: Sequence[Answer] | None = None
    if code is not None:
        formulas = derivatives.read(tables, schema)
        question = {
            "modules": [*tables.requires],
            "code": code,
            "operator": f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}",
            "calls": [_call(sample, schema, is_whole=bool(code)) for sample in samples],
            "models": [_encoded(model) for model in models],
            "results": models[0].results if models else [],
            "gradients": {name: formula.code for name, formula in formulas.items() if formula},
            "errors": [_call(case, schema, is_whole=bool(code)) for case in cases.values()],
        }
        told = asked(json.dumps(question))
    count = len(samples)
    has_ended = told is None or len(told) >= count
    told = told or ()  # what is missing refuses nothing
    answers = [*told[:count], *[{"never_ends": True}] * (not has_ended)]
    returns = [answer["returns"] for answer in told[count + len(models) :]]
    if isinstance(kernel, Elementwise):
        answers = [{"results": [_elementwise(kernel, schema, sample)]} for sample in samples]
        returns = [True] * len(cases)
    elif isinstance(kernel, Composed) and kernel.fake is not None:
        # It is the fake that takes tensors without values.
        answers = [{k: v for k, v in answer.items() if k != "raises"} for answer in answers]
    _note_results(tables, schema, kernel, mapping, answers)
    for path, is_returned in zip(cases, returns, strict=False):
        if is_returned and not tables.problems.concern(*path):
            tables.problems.add(
                path, "this raises nothing; change the case, or remove it", on_key=True
            )
    _note_values(tables, told[count : count + len(models)], "[kernel]" if code else "PyTorch")


def _code(schema: OpSchema, kernel: Kernel | None, *, is_run: bool) -> str | None:
    """Return the reference as a function's text; empty for the operator that exists, None for neither."""
    function: Function | None = None
    names = ", ".join(argument.name for argument in schema.arguments)
    match kernel:
        case Composed(function=function) | Source(reference=function):
            pass
        case Elementwise(expression=expression):
            tensors = [tensor.name for tensor in schema.tensors]
            text = to_torch(expression, {}, tensors)
            if not is_run or "_onnxop" in text or not tensors:
                return None
            # Where it does not name all tensors, it is as large as they are together all the same.
            is_whole = all(tensor in text for tensor in tensors)
            text = text if is_whole else f"torch.as_tensor({text}) + 0 * ({' + '.join(tensors)})"
            return f"import torch\ndef kernel({names}):\n    return {text}\n"
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


def _call(sample: Sample, schema: OpSchema, *, is_whole: bool) -> dict[str, Any]:
    """Return a call as `torch_calls` is told it, of all arguments where it ``is_whole``."""
    given = {
        name: _given(sample[name], argument) for name, argument in _named(schema) if name in sample
    }
    defaults = {name: pyexpr.literal(argument.default) for name, argument in _named(schema)}
    return {**defaults, **given} if is_whole else given


def _named(schema: OpSchema) -> list[tuple[str, Argument]]:
    return [(argument.name, argument) for argument in schema.arguments]


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
            if not argument.is_list:
                return f"{kind}({text})"
            items_ = text if text.startswith("[") else f"[{text}] * {argument.length}"
            return f"[*map({kind}, {items_})]"


def _encoded(built: SampleModel) -> str:
    built.model.ir_version = 10
    return base64.b64encode(built.model.SerializeToString()).decode()


def _drawn(model: SampleModel) -> str:
    """Return the mapping's first op that draws random numbers."""
    return next((f"op.{node.op}" for node in model.nodes.values() if node.op in _DRAWING), "")


def _elementwise(kernel: Elementwise, schema: OpSchema, sample: Sample) -> Result:
    tensors = [tensor for value in sample.values() for tensor in tensors_of(value)]
    sizes: list[int] = []
    for tensor in tensors:
        longer, shorter = sorted((sizes, [*tensor.shape]), key=len, reverse=True)
        shorter = [1] * (len(longer) - len(shorter)) + shorter
        sizes = [other if one == 1 else one for one, other in zip(longer, shorter, strict=True)]
    dtype = "bool" if is_boolean(kernel.expression, schema) else tensors[0].dtype
    return dtype, tuple(sizes)


def _note_results(
    tables: Tables,
    schema: OpSchema,
    kernel: Kernel | None,
    mapping: Checked | None,
    answers: Sequence[Answer],
) -> None:
    """Note what is wrong with the kernel, the call or the mapping: once for each, of the first sample."""
    are_given, noted = bool(tables.document.samples), set[str]()
    for place, answer in enumerate(answers):
        sample = name_of(tables, place)
        places: dict[str, tuple[Path, str]] = {
            "mapping": (("onnx", "mapping"), "the mapping"),
            "kernel": (("kernel", "python"), "this"),
            "call": (("samples", place), "PyTorch's own operator"),
        }
        for where, words in _differences(schema, kernel, mapping, place, answer, sample):
            path, what = places[where]
            if where not in noted:
                tables.problems.add(path, f"{what} {words}", on_key=where == "call" and are_given)
            noted.add(where)


def _differences(
    schema: OpSchema,
    kernel: Kernel | None,
    mapping: Checked | None,
    place: int,
    answer: Answer,
    sample: str,
) -> Iterator[tuple[str, str]]:
    """Yield where something is wrong, the fact and the remedy."""
    who, where = ("PyTorch", "call") if kernel is None else ("[kernel]", "kernel")
    if answer.get("never_ends"):
        yield where, f"takes more than {torch_calls.SECONDS} s for {sample}; write what ends"
    elif kernel is not None and (unfit := answer.get("unfit")):
        yield where, unfit.format(sample)
        return
    elif raises := answer.get("raises"):
        yield where, f"refuses {sample}: {raises.rstrip('.')}; change one of them"
    if "results" not in answer:
        return
    found = answer["results"]
    if kernel is not None and (fact := _wrong_results(found, schema, sample)):
        yield where, fact
    elif mapping is not None and kernel is not None and (op := _drawn(mapping.models[place])):
        fact = f"draws random numbers ({op}), which no kernel gives again; take them as an argument"
        yield "mapping", fact
    elif mapping is not None and (given := mapping.results[place]):
        fact = _unlike(found, given, schema, who, sample)
        yield from [("mapping", fact)] if fact else []


def _wrong_results(results: Sequence[Any], schema: OpSchema, sample: str) -> str:
    wanted = schema.results
    if no_tensor := next((each for each in results if isinstance(each, str)), ""):
        fact = f"gives a value of type {no_tensor}, and no tensor, for {sample}"
        return f"{fact}; write a torch expression, such as 2 * a"
    if len(results) != len(wanted) and not schema.returns_list:
        what = f"{len(wanted)} tensors ({listed(wanted)})" if len(wanted) > 1 else "one tensor"
        return f"gives {len(results)} for {sample}, but the schema {what}; write as many"
    return ""


def _unlike(
    results: Sequence[Any], given: Sequence[Result | None], schema: OpSchema, who: str, sample: str
) -> str:
    """Return what a mapping gives otherwise than PyTorch, and what to write; nothing where it is alike."""
    if len(results) != len(given):
        return f"gives {len(given)} tensors in {sample}, but {who} {len(results)}; write as many"
    for place, (torch, onnx) in enumerate(zip(results, given, strict=True)):
        if onnx is None or isinstance(torch, str):
            continue
        dtype, sizes = onnx
        is_other_size = sizes is not None and (
            len(sizes) != len(torch[1])
            or any(a not in (None, b) for a, b in zip(sizes, torch[1], strict=True))
        )
        if dtype == torch[0] and not is_other_size:
            continue
        word = f" as {schema.results[place]}" if schema.has_several else ""
        fact = f"gives {_shown(dtype, sizes)}{word} in {sample}, but {who} gives {_shown(*torch)}"
        if is_other_size:
            return f"{fact}; change one of them"
        number = number_of(torch[0])
        return f"{fact}; write op.Cast(x, to={number}) for an x that must be {torch[0]}"
    return ""


def _shown(dtype: str, sizes: Sequence[int | None] | None) -> str:
    words = ["?" if size is None else str(size) for size in sizes or ()]
    return dtype if sizes is None else f"{dtype}[{', '.join(words)}]"


def _note_values(tables: Tables, answers: Sequence[Answer], who: str) -> None:
    """Note where a runtime refuses the model of a sample, or gives other values, of the first sample; and
    where a gradient is not that of autograd through the reference.
    """
    for place, answer in enumerate(answers):
        if tables.problems:
            return
        name = name_of(tables, place)
        if why := answer.get("refused"):
            fact = f"ONNX Runtime refuses the mapping of {name}: {why.rstrip('.')}"
            tables.problems.add(("onnx", "mapping"), f"{fact}; change the mapping, or the sample")
        elif worst := answer.get("worst"):
            fact = f"the mapping gives other values than {who} in {name}: the worst error is {worst:.2g}"
            tables.problems.add(("onnx", "mapping"), f"{fact} of the largest; change one of them")
        for tensor, worst in answer.get("gradients", {}).items():
            fact = f"the gradient is not that of [kernel] in {name}: the worst error is {worst:.2g}"
            tables.problems.add(("autograd", tensor), f"{fact} of the largest; change one of them")


@lru_cache(maxsize=1024)  # what is checked is often made then, a whole gallery at once
def asked(question: str) -> tuple[Answer, ...] | None:
    """Return the answers of `torch_calls`, as far as they came; None where PyTorch cannot be asked."""
    process = _process()
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(question + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        return None
    if not select.select([process.stdout], [], [], _TIMEOUT)[0]:
        process.kill()
    line = process.stdout.readline()
    if not line:
        _process.cache_clear()  # another one is started for the next
        return None
    return tuple(json.loads(line))


@lru_cache(maxsize=1)
def _process() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-P", FilePath(torch_calls.__file__)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[str]) -> None:
    with process:  # which closes its pipes, and waits
        process.kill()
