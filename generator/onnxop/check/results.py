"""What the kernel, or the operator that exists, gives of each sample, held against the mapping.

Dtypes and sizes alone: PyTorch calls it without values, ONNX infers them.
"""

from __future__ import annotations

import atexit
import json
import select
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

from onnxop_runtime.mapping.checking import Checked
from onnxop_runtime.mapping.definitions import element_types
from onnxop_runtime.mapping.sample_model import SampleModel, element_type

from ..errors import Path, listed
from ..kernel.composed import Composed, Function
from ..kernel.kinds import Elementwise, Kernel, Source, is_boolean
from ..schema.arguments import Argument
from ..schema.signature import OpSchema
from ..spec.tables import Tables
from ..spec.tensors import Literal, RandomTensor, SampleValue, TensorList
from ..words import pyexpr
from . import torch_calls

_SAMPLE = "{the sample}"  # in words that are not its yet
_TIMEOUT = 300  # seconds, in which PyTorch and what a spec requires is imported, too
Sample = Mapping[str, SampleValue]
Result = tuple[str, tuple[int | None, ...] | None]
DEFAULT = "the default sample, float32[1, 3, 10, 10] each"


@dataclass(frozen=True)
class Difference:
    """``where`` is what is wrong of a sample: the kernel, the call itself, or the mapping.
    ``words`` are the fact and the remedy.
    """

    sample: int
    where: str
    words: str


def number_of(dtype: str) -> int:
    """Return ONNX's number of one of PyTorch's dtypes."""
    numbers = {name: number for number, name in element_types().items()}
    return numbers[element_type(dtype)]


def check(
    tables: Tables,
    schema: OpSchema,
    kernel: Kernel | None,
    mapping: Checked | None,
    samples: Sequence[Sample],
) -> None:
    """Note where the samples' calls are refused in PyTorch, or give other than the mapping where
    that is sound, as far as it is known without values: once for each, of the first sample.
    """
    are_given = bool(tables.document.samples)
    found: dict[str, Difference] = {}
    for position, where, words in _differences(schema, kernel, tables.requires, mapping, samples):
        name = f"sample {position + 1}" if are_given else DEFAULT
        found.setdefault(where, Difference(position, where, words.replace(_SAMPLE, name)))
    for difference in found.values():
        places: dict[str, tuple[Path, str]] = {
            "mapping": (("onnx", "mapping"), "the mapping"),
            "kernel": (("kernel", "python"), "this"),
            "call": (("samples", difference.sample), "PyTorch's own operator"),
        }
        path, what = places[difference.where]
        is_table = difference.where == "call" and are_given
        tables.problems.add(path, f"{what} {difference.words}", on_key=is_table)


def _differences(
    schema: OpSchema,
    kernel: Kernel | None,
    requires: Sequence[str],
    mapping: Checked | None,
    samples: Sequence[Sample],
) -> Iterator[tuple[int, str, str]]:
    answers: list[dict[str, Any]] = (
        [{"results": [_elementwise(kernel, schema, sample)]} for sample in samples]
        if isinstance(kernel, Elementwise)
        else _called(schema, kernel, requires, samples)
    )
    who, place = ("PyTorch", "call") if kernel is None else ("[kernel]", "kernel")
    for position, answer in enumerate(answers[: len(samples)]):
        if answer.get("never_ends"):
            fact = f"takes more than {torch_calls.SECONDS} s for {_SAMPLE}; write what ends"
            yield position, place, fact
        elif kernel is not None and (unfit := answer.get("unfit")):
            yield position, place, unfit.format(_SAMPLE)
            continue
        elif raises := answer.get("raises"):
            yield position, place, f"refuses {_SAMPLE}: {raises.rstrip('.')}; change one of them"
        if "results" not in answer:
            continue
        found = [each if isinstance(each, str) else tuple(each) for each in answer["results"]]
        if kernel is not None and (fact := _wrong_results(found, schema)):
            yield position, place, fact
        elif (
            mapping is not None and kernel is not None and (op := drawing(mapping.models[position]))
        ):
            words = f"draws random numbers ({op}), which no kernel gives again; take them as an argument"
            yield position, "mapping", words
        elif mapping is not None:
            given = mapping.results[position]
            if given and (fact := _unlike(found, given, schema, who)):
                yield position, "mapping", fact


def drawing(model: SampleModel) -> str:
    """Return the mapping's first op that draws random numbers."""
    return next((f"op.{node.op}" for node in model.nodes if node.op in _DRAWING), "")


_DRAWING = frozenset(
    "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike".split()
)


def _elementwise(kernel: Elementwise, schema: OpSchema, sample: Sample) -> Result:
    tensors = [
        value for value in sample.values() if value.dtype and not isinstance(value, TensorList)
    ]
    sizes: list[int] = []
    for tensor in tensors:
        longer, shorter = sorted((sizes, [*tensor.shape]), key=len, reverse=True)
        shorter = [1] * (len(longer) - len(shorter)) + shorter
        sizes = [other if one == 1 else one for one, other in zip(longer, shorter, strict=True)]
    dtype = "bool" if is_boolean(kernel.expression, schema) else tensors[0].dtype
    return dtype, tuple(sizes)


def _wrong_results(results: Sequence[Any], schema: OpSchema) -> str:
    wanted = schema.results
    if no_tensor := next((each for each in results if isinstance(each, str)), ""):
        fact = f"gives a value of type {no_tensor}, and no tensor, for {_SAMPLE}"
        return f"{fact}; write a torch expression, such as 2 * a"
    if len(results) != len(wanted) and not schema.returns_list:
        what = f"{len(wanted)} tensors ({listed(wanted)})" if len(wanted) > 1 else "one tensor"
        return f"gives {len(results)} for {_SAMPLE}, but the schema {what}; write as many"
    return ""


def _unlike(
    results: Sequence[Any], given: Sequence[Result | None], schema: OpSchema, who: str
) -> str:
    """What a mapping gives otherwise than PyTorch, and what to write; empty where it is alike."""
    if len(results) != len(given):
        return f"gives {len(given)} tensors in {_SAMPLE}, but {who} {len(results)}; write as many"
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
        fact = f"gives {_shown(dtype, sizes)}{word} in {_SAMPLE}, but {who} gives {_shown(*torch)}"
        if is_other_size:
            return f"{fact}; change one of them"
        number = number_of(torch[0])
        return f"{fact}; write op.Cast(x, to={number}) for an x that must be {torch[0]}"
    return ""


def _shown(dtype: str, sizes: Sequence[int | None] | None) -> str:
    words = ["?" if size is None else str(size) for size in sizes or ()]
    return dtype if sizes is None else f"{dtype}[{', '.join(words)}]"


def _called(
    schema: OpSchema, kernel: Kernel | None, requires: Sequence[str], samples: Sequence[Sample]
) -> list[dict[str, Any]]:
    """What PyTorch answers of the samples' calls; nothing where nobody can call it."""
    function: Function | None = None
    match kernel:
        case Composed(function=function) | Source(reference=function):
            pass
    if function is None and not schema.exists:
        return []
    has_fake = isinstance(kernel, Composed) and kernel.fake is not None
    code = code_of(function, schema) if function else ""
    question = question_of(schema, requires, code, samples)
    told = asked(json.dumps(question))
    if told is None:  # what is missing refuses nothing
        return []
    answers = [*told, *[{"never_ends": True}] * (len(told) < len(samples))]
    if has_fake:  # it is the fake that takes tensors without values
        answers = [{k: v for k, v in answer.items() if k != "raises"} for answer in answers]
    return answers


def code_of(function: Function, schema: OpSchema) -> str:
    lines = [f"import {module}" for module in ("torch", *function.modules)]
    lines += [f"from {module} import {name}" for module, name in function.names]
    names = ", ".join(argument.name for argument in schema.arguments)
    return "\n".join([*lines, f"def kernel({names}):", textwrap.indent(function.body, "    "), ""])


def given(value: SampleValue, argument: Argument) -> Any:
    match value:
        case TensorList(items=items):
            return [given(item, argument) for item in items]
        case RandomTensor(dtype=dtype, shape=shape):
            return [dtype, [*shape]]
        case Literal(dtype=dtype, shape=shape) if dtype:
            return [dtype, [*shape]]
        case Literal(expression=text):
            if text == "None" or argument.kind not in ("float", "int"):
                return text
            is_one = argument.is_list and not text.startswith("[")
            text = f"[{text}] * {argument.length}" if is_one else text
            return (
                f"[*map({argument.kind}, {text})]"
                if argument.is_list
                else f"{argument.kind}({text})"
            )


def question_of(
    schema: OpSchema,
    requires: Sequence[str],
    code: str,
    samples: Sequence[Sample],
    as_given: Callable[[SampleValue, Argument], Any] = given,
) -> dict[str, Any]:
    """Return what `torch_calls` is asked of the samples' calls, of which code takes all arguments by name,
    and the operator those that are given; ``as_given``: how a value is sent.
    """
    calls: list[dict[str, Any]] = []
    for sample in samples:
        call: dict[str, Any] = {}
        for argument in schema.arguments:
            if argument.name in sample:
                call[argument.name] = as_given(sample[argument.name], argument)
            elif code:
                call[argument.name] = pyexpr.literal(argument.default)
        calls.append(call)
    return {
        "modules": [*requires],
        "code": code,
        "operator": f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}",
        "calls": calls,
    }


@lru_cache(maxsize=1024)  # what is checked is often made then, a whole gallery at once
def asked(question: str) -> tuple[dict[str, Any], ...] | None:
    """The answers, one a call, as far as they came; None where PyTorch cannot be asked."""
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
