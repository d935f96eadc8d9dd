"""PyTorch's answers about a spec → its problems: what raises, and what differs from the mapping."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import cast

from onnxop_runtime.mapping.checking import Result
from onnxop_runtime.messages import join_words
from onnxop_runtime.processes import ProcessDied
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.positions import Path
from onnxop_runtime.specs.tensors import tensors_of

from ..kernel.composed import Composed
from ..kernel.kernel_kinds import Elementwise, is_boolean
from ..schema import registry
from ..spec.draft import Draft
from .calls import Sample, elem_type
from .mapping import CallTrace
from .question import Inquiry, drawing_op
from .torch_process import Difference, FakeAnswer, TensorType, TorchAnswer, TorchProcess

_LOG = logging.getLogger("onnxop")
_SECONDS, _SECONDS_WITH_VALUES = 5, 10  # of computing, for a call
_MAPPING: Path = ("onnx", "mapping")

_process = lru_cache(maxsize=1)(TorchProcess)


def ask(inquiry: Inquiry) -> None:
    """Send the question, if there is one: PyTorch computes while this process goes on."""
    if inquiry.payload:
        registry.tell_imports(tuple(inquiry.draft.document.op.requires))
        _process(_SECONDS, _SECONDS_WITH_VALUES).ask(inquiry.payload)


def add_problems(inquiry: Inquiry) -> None:
    """Wait for PyTorch's answers, and add the problems in them: the first of each key."""
    try:
        call_answers, case_answers = _answers(inquiry)
    except ProcessDied as death:
        if inquiry.is_run:
            fact = f"nothing was compared, as PyTorch's process did not answer: {death}"
            remedy = "try it in another shell, or give --no-run"
            inquiry.draft.problems.add(("op",), f"{fact}; {remedy}")
        return
    _add_problems_of_calls(inquiry, call_answers)
    _add_problems_of_error_cases(inquiry, case_answers)


def _add_problems_of_calls(inquiry: Inquiry, answers: Sequence[TorchAnswer]) -> None:
    """Add the first problem of each key in the samples' calls; warn of gradients that are NaN."""
    problems, has_samples = inquiry.draft.problems, bool(inquiry.draft.document.samples)
    paths = set[Path]()
    for trace, answer in zip(inquiry.traces, answers, strict=True):
        for path, message in _problems(_Comparison(inquiry, trace, answer)):
            if path not in paths:
                problems.add(path, message, on_key=has_samples and path[0] == "samples")
            paths.add(path)
        _warn_of_gradients(inquiry.draft, trace, answer)


def _add_problems_of_error_cases(inquiry: Inquiry, answers: Sequence[TorchAnswer]) -> None:
    """Add a problem for each error case that is wrong; warn of the others without a pattern."""
    problems = inquiry.draft.problems
    for path, answer in zip(inquiry.cases, answers, strict=True):
        if problems.concern(*path):
            continue
        key, message = _problem_with_case(answer)
        if message:
            problems.add((*path, key) if key else path, message, on_key=not key)
        else:
            _advise_to_match(inquiry.draft, cast("int", path[1]), answer)


def _advise_to_match(draft: Draft, index: int, answer: TorchAnswer) -> None:
    """Warn of an error case without a pattern, with the text that its call raises."""
    table, text = draft.document.errors[index], answer.get("raises", "").partition(": ")[2]
    if "match" not in table and text:
        fact = f"without match, any {table['raises']} passes"
        remedy = f"write a part of its text as match: {text}"
        draft.warnings.append(f"errors[{index}]: {fact}; {remedy}")


def _warn_of_gradients(draft: Draft, trace: CallTrace, answer: TorchAnswer) -> None:
    """Warn of the first gradient through an expression that is NaN where its value is finite."""
    names = answer.get("nan_gradients")
    if not names or draft.warnings:
        return
    fact = f"the gradient of {names[0]} is NaN in {trace.call.name}, where all values are finite"
    reason = "PyTorch differentiates both values of a condition, also the one that is not taken"
    remedy = "write x > 0 ? sqrt(x > 0 ? x : 1) : 0 in place of x > 0 ? sqrt(x) : 0, for example"
    draft.warnings.append(f"kernel.elementwise: {fact}: {reason}; {remedy}")


def _answers(inquiry: Inquiry) -> tuple[list[TorchAnswer], list[TorchAnswer]]:
    """Return an answer for each call, and one for each error case; an unknown answer is empty."""
    kernel, received = inquiry.draft.kernel, None
    if inquiry.payload:
        received = _process(_SECONDS, _SECONDS_WITH_VALUES).answer(inquiry.payload)
    call_answers = [TorchAnswer() for _ in inquiry.traces]
    case_answers = [TorchAnswer() for _ in inquiry.cases]
    if received is not None:
        call_answers, case_answers = _split(inquiry, received)
    elif isinstance(kernel, Elementwise):
        # The expression takes all of them.
        case_answers = [TorchAnswer(returns=True) for _ in inquiry.cases]
    if isinstance(kernel, Elementwise):
        for trace, answer in zip(inquiry.traces, call_answers, strict=True):
            answer["results"] = [_elementwise_result(kernel, inquiry.schema, trace.call.sample)]
    return call_answers, case_answers


def _split(
    inquiry: Inquiry, received: Sequence[TorchAnswer]
) -> tuple[list[TorchAnswer], list[TorchAnswer]]:
    """Return the received answers by call, and by error case.

    They come in this order: the process's rights, the calls without values, those of the fake
    kernel, if there is one, the calls with values, the error cases. They end early if the process
    does.
    """
    for answer in received:
        _tell_rights(answer.get("rights", []))
    answers = [answer.copy() for answer in received if "rights" not in answer]
    kernel, calls, models = inquiry.draft.kernel, len(inquiry.traces), inquiry.model_count
    fakes = calls if isinstance(kernel, Composed) and kernel.fake is not None else 0
    missing = calls + fakes + models + len(inquiry.cases) - len(answers)
    rest = iter([*answers, *(TorchAnswer() for _ in range(missing))])
    call_answers = list(islice(rest, calls))
    fake_answers = list(islice(rest, fakes))
    value_answers = list(islice(rest, models))
    for answer, fake in zip(call_answers, fake_answers, strict=False):
        answer.pop("raises", None)  # the fake kernel, not this one, takes tensors without values
        answer["fake"] = cast("FakeAnswer", fake)
    for answer, further in zip(call_answers, value_answers, strict=False):
        answer.update(_with_values(further))
    return call_answers, [*rest]


def _with_values(answer: TorchAnswer) -> TorchAnswer:
    """Return an answer for a call with values, in which a mapping may be what never ends."""
    return {"takes_long": True} if answer.get("never_ends") else answer


def _tell_rights(rights: Sequence[str]) -> None:
    """Tell which rights the process that runs a spec's code still has."""
    if rights:
        missing = "this system has neither Landlock nor seccomp for it"
        _LOG.warning("the code of specs may %s: %s", join_words(rights), missing)


def _elementwise_result(kernel: Elementwise, schema: OpSchema, sample: Sample) -> TensorType:
    """Return the type of an elementwise kernel's result, without asking PyTorch."""
    tensors = [tensor for value in sample.values() for tensor in tensors_of(value)]
    sizes: list[int] = []
    for tensor in tensors:
        sizes = _broadcast(sizes, tensor.shape)
    dtype = "bool" if is_boolean(kernel.expression, schema) else tensors[0].dtype
    return dtype, sizes, "cpu"


def _broadcast(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    longer, shorter = sorted((sizes, shape), key=len, reverse=True)
    missing = len(longer) - len(shorter)
    paired = zip(longer[missing:], shorter, strict=True)
    return [*longer[:missing], *(b if a == 1 else a for a, b in paired)]


def _problem_with_case(answer: TorchAnswer) -> tuple[str, str]:
    """Return the key of an error case that is wrong, and why; or empty strings. The key is empty if
    it is the whole call.
    """
    if answer.get("returns"):
        return "", "this raises nothing; change the case, or remove it"
    if death := answer.get("died"):
        return "", f"this raises nothing, but fails: {death}; change the case, or remove it"
    if answer.get("never_ends"):
        return "", f"this takes more than {_SECONDS} s; change the case, or remove it"
    raised = answer.get("raises", "").rstrip(".")
    if answer.get("is_other_exception"):
        name = raised.partition(":")[0]
        return "raises", f"the call raises {raised}; write {name}, or change the case"
    if answer.get("lacks_pattern"):
        return "match", f"it is not in what the call raises, {raised}; correct it, or the case"
    return "", ""


@dataclass(frozen=True)
class _Comparison:
    """PyTorch's answer for a call, and the mapping's trace of it."""

    inquiry: Inquiry
    trace: CallTrace
    answer: TorchAnswer

    @property
    def sample(self) -> str:
        """Return the name of the call in messages."""
        return self.trace.call.name

    @property
    def has_kernel(self) -> bool:
        """Return whether PyTorch called a kernel of the spec, not its own operator."""
        return self.inquiry.draft.kernel is not None

    @property
    def owner(self) -> str:
        """Return whose results they are."""
        return "[kernel]" if self.has_kernel else "PyTorch"

    @property
    def subject(self) -> str:
        """Return what was called, as the subject of a message at `path`."""
        return "this" if self.has_kernel else "PyTorch's own operator"

    @property
    def path(self) -> Path:
        """Return the key of what was called."""
        return ("kernel", "python") if self.has_kernel else ("samples", self.trace.call.index)

    @property
    def call_at_opset(self) -> str:
        """Return the call, and the opset if it is not the spec's, as a part of a message."""
        at = self.answer.get("at")
        return self.sample if at is None else f"{self.sample} at opset {at}"


def _problems(compared: _Comparison) -> Iterator[tuple[Path, str]]:
    """Yield the problems of the kernel, the call, the mapping and gradients, with their keys."""
    if message := _problem_with_end(compared):
        yield compared.path, message
        return
    if compared.answer.get("takes_long"):
        fact = f"the mapping, [kernel] or a gradient takes more than {_SECONDS_WITH_VALUES} s"
        yield _MAPPING, f"{fact} for {compared.sample}; make it end, or give --no-run"
    for message in _problems_with_call(compared):
        yield compared.path, message
    if message := _problem_with_fake(compared):
        yield ("kernel", "fake"), message
    if message := _problem_with_results(compared):
        yield compared.path, message
        return
    for message in _problems_with_mapping(compared):
        yield _MAPPING, message
    for tensor, difference in compared.answer.get("gradients", {}).items():
        fact = f"the gradient differs from autograd's through [kernel] in {compared.sample}"
        remedy = "correct the formula, or [kernel]"
        yield ("autograd", tensor), f"{fact}: {_worst_error(difference)}; {remedy}"


def _problem_with_end(compared: _Comparison) -> str:
    """Return why a call was not made, or did not return or raise; or an empty string."""
    answer, subject, sample = compared.answer, compared.subject, compared.sample
    if fact := answer.get("forbidden"):
        return fact
    if death := answer.get("died"):
        return f"{subject} fails in {sample}: {death}; correct it, or write a smaller sample"
    if answer.get("never_ends"):
        return f"{subject} takes more than {_SECONDS} s for {sample}; make it end"
    return ""


def _problems_with_call(compared: _Comparison) -> Iterator[str]:
    """Yield what is wrong with the call itself: it raises, draws random numbers, or changes an
    input.
    """
    answer, subject, sample = compared.answer, compared.subject, compared.sample
    if (error := answer.get("raises")) and not compared.trace.call.may_raise:
        remedy = "correct [kernel], or the sample" if compared.has_kernel else "correct the sample"
        yield f"{subject} raises for {sample}: {error.rstrip('.')}; {remedy}"
    if answer.get("draws"):
        fact = f"{subject} draws random numbers (two calls of {sample} differ)"
        yield f"{fact}, which no mapping reproduces; take them as an argument"
    if answer.get("changes"):
        yield f"{subject} modifies an input in {sample}; write x = x.clone() before it does"


def _problem_with_fake(compared: _Comparison) -> str:
    """Return what is wrong with the fake kernel, or an empty string."""
    fake, sample = compared.answer.get("fake", FakeAnswer()), compared.sample
    if death := fake.get("died"):
        return f"this fails in {sample}: {death}; correct it"
    if fake.get("never_ends"):
        return f"this takes more than {_SECONDS} s for {sample}; make it end"
    error = fake.get("raises")
    if error and not compared.trace.call.may_raise:
        return f"this raises for {sample}: {error.rstrip('.')}; correct it, or the sample"
    results = compared.answer.get("results", [])
    for made, computed in zip(fake.get("results", []), results, strict=False):
        if isinstance(made, str):
            fact = f"this returns a value of type {made} instead of a tensor for {sample}"
            return f"{fact}; write x.new_empty(x.shape), for example"
        if isinstance(computed, str):
            continue
        (dtype, sizes, _), (wanted, shape, _) = made, computed
        if dtype != wanted or not _agree(sizes, shape):
            fact = f"this returns {_tensor(dtype, sizes)} for {sample}"
            return f"{fact}, but the kernel returns {_tensor(wanted, shape)}; correct it"
    return ""


def _problem_with_results(compared: _Comparison) -> str:
    """Return what is wrong with a kernel's results themselves, or an empty string."""
    results, schema = compared.answer.get("results"), compared.inquiry.schema
    if not results or not compared.has_kernel:
        return ""
    subject, sample, names = compared.subject, compared.sample, schema.results
    tensors = [result for result in results if not isinstance(result, str)]
    for result in results:
        if isinstance(result, str):
            fact = f"{subject} returns a value of type {result} instead of a tensor for {sample}"
            return f"{fact}; write a torch expression, such as 2 * a"
    if len(results) != len(names) and not schema.returns_list:
        count = f"{len(names)} results ({join_words(names)})" if len(names) > 1 else "one result"
        fact = f"{subject} returns {len(results)} for {sample}, but the schema has {count}"
        return f"{fact}; return as many"
    for _, _, device in tensors:
        if device != "cpu":
            fact = f"{subject} returns a tensor on {device} for {sample}, but no argument is there"
            return f"{fact}; use an argument's device: x.to(y.device), or device=x.device"
    return ""


def _problems_with_mapping(compared: _Comparison) -> Iterator[str]:
    """Yield how the mapping's results differ from PyTorch's: their types, then their values."""
    answer, trace, owner = compared.answer, compared.trace, compared.owner
    if answer.get("results") and trace.models:
        if compared.has_kernel and (op := drawing_op(trace.models)):
            fact = f"the mapping draws random numbers ({op}), which no kernel reproduces"
            yield f"{fact}; take them as an argument"
        elif message := _differing_types(compared):
            yield message
    if why := answer.get("refused"):
        fact = f"ONNX Runtime rejects the mapping for {compared.call_at_opset}: {why.rstrip('.')}"
        yield f"{fact}; change the mapping, or the sample"
    if difference := answer.get("differs"):
        fact = f"the mapping's values differ from {owner}'s in {compared.call_at_opset}"
        yield f"{fact}: {_worst_error(difference)}; {_remedy(compared)}"


def _worst_error(difference: Difference) -> str:
    worst, failures = difference
    return f"the worst error is {worst:.2g} ({failures[0]})"


def _remedy(compared: _Comparison) -> str:
    return "correct the mapping, or [kernel]" if compared.has_kernel else "correct the mapping"


def _differing_types(compared: _Comparison) -> str:
    """Return how the dtypes and sizes of the results differ from PyTorch's, or an empty string."""
    torch_results, onnx_results = compared.answer["results"], compared.trace.results
    owner, sample = compared.owner, compared.sample
    if not onnx_results:
        return ""
    if len(torch_results) != len(onnx_results):
        fact = f"the mapping returns {len(onnx_results)} tensors in {sample}"
        return f"{fact}, but {owner} returns {len(torch_results)}; return as many"
    pairs = zip(torch_results, onnx_results, strict=True)
    for index, (torch_result, onnx_result) in enumerate(pairs):
        if onnx_result is None or isinstance(torch_result, str):
            continue
        if message := _differing_type(compared, index, torch_result, onnx_result):
            return message
    return ""


def _differing_type(
    compared: _Comparison, index: int, torch_result: TensorType, onnx_result: Result
) -> str:
    """Return how the dtype or the sizes of one result differ from PyTorch's, or an empty string."""
    dtype_in_torch, sizes_in_torch, _ = torch_result
    dtype, sizes = onnx_result
    schema = compared.inquiry.schema
    has_same_sizes = sizes is None or _agree(sizes, sizes_in_torch)
    if dtype == dtype_in_torch and has_same_sizes:
        return ""
    name = f" as {schema.results[index]}" if schema.has_several else ""
    fact = f"the mapping returns {_tensor(dtype, sizes)}{name} in {compared.sample}"
    fact += f", but {compared.owner} returns {_tensor(dtype_in_torch, sizes_in_torch)}"
    if has_same_sizes:
        cast = f"op.Cast(x, to={elem_type(dtype_in_torch)})"
        return f"{fact}; write {cast} for an x that must be {dtype_in_torch}"
    return f"{fact}; {_remedy(compared)}"


def _agree(sizes: Sequence[int | None], shape: Sequence[int]) -> bool:
    """Return whether the known sizes are those of the shape."""
    if len(sizes) != len(shape):
        return False
    return all(size in (None, other) for size, other in zip(sizes, shape, strict=True))


def _tensor(dtype: str, sizes: Sequence[int | None] | None) -> str:
    """Return a tensor in a spec's notation, ``float32[2, ?]``; the dtype alone without sizes."""
    dimensions = ["?" if size is None else str(size) for size in sizes or ()]
    return dtype if sizes is None else f"{dtype}[{', '.join(dimensions)}]"
