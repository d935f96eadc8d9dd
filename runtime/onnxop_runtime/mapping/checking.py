"""A mapping, checked before anything is built: its text, its calls, and each sample at each opset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import inference, language
from .definitions import HIGHEST, since
from .inference import Result
from .opsets import Opsets, opsets, problems
from .problems import MappingError, Problem
from .sample_model import SampleModel, sample_model

Sample = Mapping[str, Any]


@dataclass(frozen=True)
class Checked:
    """What is known of a mapping.

    Attributes:
        problems: what is wrong with it; if nothing is, the rest is known.
        opsets: where it holds.
        models: of each sample, its model at the lowest opset.
        results: of each sample, what ONNX infers of its results; None of one that is left out.
    """

    problems: Sequence[Problem]
    opsets: Opsets | None = None
    models: Sequence[SampleModel] = ()
    results: Sequence[Sequence[Result | None]] = ()


@dataclass(frozen=True)
class Mapped:
    """A mapping and what it is written for.

    Attributes:
        to_onnx: the mapping, as `language.function` makes it.
        opset: its lowest opset.
        scalars: the kinds of the arguments that are no tensors, by name.
        results: how many results the operator has; None: a list.
        dynamo: whether it is for the dynamo exporter, too.
    """

    to_onnx: Any
    opset: int
    scalars: Mapping[str, str]
    results: int | None = 1
    dynamo: bool = True

    def model(self, opset: int, sample: Sample, *, is_dynamic: bool = False) -> SampleModel:
        """Return the model of a sample at an opset. Raises MappingError."""
        attempts = self.to_onnx.attempts
        attempts.located = lambda problem: language.located(problem, self.to_onnx)
        try:
            return sample_model(
                self.to_onnx,
                opset,
                sample,
                scalars=self.scalars,
                results=self.results,
                is_dynamic=is_dynamic,
            )
        except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as problem:
            attempts.finish(language.located(problem, self.to_onnx))
            raise
        finally:
            attempts.located = None


def check(
    mapped: Mapped,
    samples: Sequence[Sample],
    *,
    sample_name: Callable[[int], str],
    is_default: bool = False,
) -> Checked:
    """Check a mapping whose text is allowed.

    Args:
        mapped: the mapping.
        samples: tensors, lists of them, and what is none, by argument.
        sample_name: what a sample is called in messages, by its place.
        is_default: whether nobody wrote the samples.
    """
    if told := problems(mapped.to_onnx, mapped.opset):
        return Checked(told)
    found: dict[tuple[object, ...], Problem] = {}
    models, results = [], []
    for place, sample in enumerate(samples):
        name = sample_name(place)
        remedy = f"change the mapping, or {'write [[samples]]' if is_default else 'the sample'}"
        told, built = _tried(mapped, mapped.opset, sample, name, remedy)
        later = _since(mapped, sample) if told and built is not None else None
        if later is not None:
            told = [
                replace(p, remedy=f"write opset = {later}, or {p.remedy.removeprefix('write ')}")
                for p in told
            ]
        for problem in told:
            found.setdefault((problem.span, problem.fact.replace(name, "")), problem)
        if built is not None:
            models.append(built)
            results.append([] if told else inference.results(built))
            if not told and any(_has_names(value) for value in sample.values()):
                for problem in _tried(mapped, mapped.opset, sample, name, remedy, is_dynamic=True)[
                    0
                ]:
                    fact = f"{problem.fact}, of which sizes with names are dynamic"
                    found.setdefault((problem.span, problem.fact), replace(problem, fact=fact))
    if found:
        return Checked([language.narrowed(p, mapped.to_onnx.tree) for p in found.values()])
    spans = opsets(mapped.to_onnx, mapped.opset, dynamo=mapped.dynamo)
    return Checked([], _without_refused(mapped, spans, samples, models), models, results)


def _since(mapped: Mapped, sample: Sample) -> int | None:
    """Return the first later opset at which a sample is refused no more."""
    for opset in range(mapped.opset + 1, HIGHEST + 1):
        if problems(mapped.to_onnx, opset):
            return None
        if not _tried(mapped, opset, sample, "", "")[0]:
            return opset
    return None


def _has_names(value: Any) -> bool:
    if isinstance(value, list):
        return any(_has_names(item) for item in value)
    return any(getattr(value, "names", ()))


def _tried(
    mapped: Mapped, opset: int, sample: Sample, name: str, remedy: str, *, is_dynamic: bool = False
) -> tuple[list[Problem], SampleModel | None]:
    """Return what is wrong with a sample at an opset, and its model."""
    try:
        built = mapped.model(opset, sample, is_dynamic=is_dynamic)
    except MappingError as error:
        return [_of_sample(problem, name, remedy) for problem in error.problems], None
    if built.problems:
        return [_of_sample(problem, name, remedy) for problem in built.problems], built
    refused = inference.refused(built)
    return [inference.problem(built.nodes[at], opset, name, w, remedy) for at, w in refused], built


def _of_sample(problem: Problem, name: str, remedy: str) -> Problem:
    fact = f"{problem.fact}, as in {name}" if problem.is_of_value else problem.fact
    return replace(problem, fact=fact, remedy=problem.remedy or remedy)


def _without_refused(
    mapped: Mapped, spans: Opsets, samples: Sequence[Sample], models: Sequence[SampleModel]
) -> Opsets:
    """Return the opsets but for those behind the first at which ONNX refuses a sample: ``op.Split(x)``
    needs ``num_outputs`` from 18 on, say.
    """
    refused: list[int] = []
    for sample, model in zip(samples, models, strict=True):
        ops = {node.op for node in model.nodes}
        before, is_refused = (mapped.opset, *(since(op, mapped.opset) for op in ops)), False
        for opset in sorted(spans.holds - {mapped.opset}):
            start = max(each for each in spans.starts if each <= opset)
            key = (start, *(since(op, opset) for op in ops))
            if key != before:
                told, built = _tried(mapped, opset, sample, "", "")
                is_refused, before = bool(told), key
                ops = {node.op for node in built.nodes} if built is not None else ops
                before = (start, *(since(op, opset) for op in ops))
            refused += [opset] if is_refused else []
    return spans.without(refused)
