"""The outcome of an export, as data and as text."""

from __future__ import annotations

import re
import textwrap
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Literal, TypeVar

import torch

from onnxop_runtime.messages import join_words
from onnxop_runtime.processes import ProcessDied

from . import places
from .places import Place

Kind = Literal[
    "right", "order", "random", "example", "export", "checker", "runtime", "values", "crash"
]
"""What becomes of an export; `Outcome` tells of each."""
Fault = Literal[
    "", "values", "sizes", "branch", "specialised", "dtypes", "model", "cpu_time", "buffers"
]
"""What fails in one, where that is known."""
Way = Literal["", "no_grad", "tensors", "runtime", "results", "dynamic"]
"""How an exporter is called."""
WORDS: Mapping[Kind, str] = {
    "right": "right",
    "order": "right except for the order of equal values",
    "random": "right except for random results",
    "example": "right for the example inputs only",
    "export": "refused",
    "checker": "onnx.checker rejects the model",
    "runtime": "ONNX Runtime fails",
    "values": "wrong results",
    "crash": "crashes",
}
WAYS: Mapping[Way, str] = {
    "": "",
    "no_grad": " under torch.no_grad()",
    "tensors": " of a module that takes the tensors alone",
    "runtime": " by onnxop_runtime.export",
    "results": " of a module that returns the results which depend on inputs alone",
    "dynamic": " with dynamic dimensions",
}
NO_OVERLOAD = "converting dtypes, the exporter finds no overload of"
"""The beginning of a refusal: of a number in place of a tensor, beside an integer tensor."""
_Error = TypeVar("_Error", bound=BaseException)
_WIDTH = 100
_LONGEST = 300  # characters of an error in a message
_NAMED = re.compile(
    r"OpOverload\(op='(?P<space>\w+)\.(?P<name>\w+)', overload='(?P<overload>\w+)'"
    r"|'(?P<op>\w+::\w+)'"
    r"|Occurred when translating (?P<rule>\w+)"
    r"|We don't have an op for (?P<missing>\w+::\w+)"
    r"|ONNX export of (?:operator )?(?:aten::)?(?P<unsupported>\w+)"
    r"|ONNX export does not support exporting '(?P<inplace>\w+?)_?\(\)'"
)
# The errors of both exporters if they have no rule for an operator.
_NO_RULE = re.compile(
    r"DispatchError: No ONNX function found for <OpOverload\(op='(\w+)\.(\w+)'"
    r"|UnsupportedOperatorError: Exporting the operator '(\w+::\w+)'.* is not supported"
    r"|an operator with unrecognized namespace (\w+::\w+)"
)

_PREFIXES = {  # of errors of ONNX Runtime
    re.compile(r"\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : "): "",
    re.compile(r"Load model from \S+ failed: ?"): "",
    re.compile(
        r"Non-zero status code returned while running (\w+) node\. Name:'' Status Message: "
    ): r"\1 node: ",
    re.compile(
        r"Non-zero status code returned while running (\w+) node\. Name:'([^']+)' Status Message: "
    ): r"\1 node \2: ",
    re.compile(r"/onnxruntime_src/\S+:\d+ .*? was false\. "): "",
    # The place in ONNX Runtime's source: a file, and a function with its arguments or without them.
    re.compile(
        r"/onnxruntime_src/\S+:\d+ [^()\n]*\((?:[^()]|\([^()]*\))*\)(?: const)?"
        r"(?: \[with [^\]]*\])? "
    ): "",
    re.compile(r"(?<!\S)[\w/]+\.(?:h|cc|cpp):\d+ [\w:~]+ "): "",
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of one export.

    Attributes:
        kind: ``right``; ``export``: the exporter refuses; ``checker``: onnx.checker refuses the
            model; ``runtime``: ONNX Runtime refuses the model, or fails; ``values``: results differ
            from PyTorch's; ``order``: integer results differ, but not if all input values are
            distinct, as in sorting, maybe for other inputs only; ``random``: results differ that
            differ between two calls in PyTorch, too; ``example``: right for the
            example inputs only; ``crash``: the process ended, or exceeded its time.
        why: the error or the difference.
        fault: where it is known, what fails: other ``values`` or ``sizes``; another side of a
            ``branch``; a size that torch.export ``specialised``; a node of ``dtypes`` without a
            kernel; the ``model``, which raises or returns no tensor; the bound of ``cpu_time``; the
            ``buffers``, of which the file holds what the exporter's own call left.
        how: the way in which the exporter was called, where a plain call is refused: ``no_grad``:
            under `torch.no_grad`; ``tensors``: of a module that takes the tensors alone;
            ``runtime``: by `onnxop_runtime.export`, without specs; ``results``: of one that takes
            the tensors alone, and returns the results that depend on them; ``dynamic``: with dynamic
            dimensions.
        refused: the refusal of the plain call; of ``runtime``, its outcome as text.
        dropped: the indices of the results that depend on no input.
        lines: the lines at which torch.export makes the size a constant.
        inputs: the tensors for which a file fails that is right for the example inputs.
        then: of ``example``, the kind of the outcome for other inputs.
        is_of_tracer: whether torch.export refuses, which has no opset yet.
        awaits_sizes: whether other sizes have still to be tried.
        stopped: why the export with dynamic dimensions was stopped, and what waits for it, as text.
        equal: dimensions, as text, that have to stay of equal size, as in the example inputs: the
            file is right for these, and fails where they differ, as PyTorch takes them, too.
        numbers: the arguments, as text, that are numbers, and of which the file makes inputs.
        beyond: inputs of sizes beyond those that torch.export's program takes, which PyTorch takes;
            None if no program was asked.
        exact: the tensors of the export, with PyTorch's results for them in float64, if these were
            computed.
        cpu_seconds: the time of the processor that the whole model's export and comparison took.
    """

    kind: Kind
    why: str = ""
    fault: Fault = ""
    how: Way = ""
    refused: str = ""
    dropped: tuple[int, ...] = ()
    lines: tuple[Place, ...] = ()
    inputs: tuple[torch.Tensor, ...] = field(default=(), compare=False, repr=False)
    then: Kind | Literal[""] = ""
    is_of_tracer: bool = field(default=False, compare=False)
    awaits_sizes: bool = False
    stopped: str = ""
    equal: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    beyond: tuple[tuple[torch.Tensor, ...], ...] | None = field(
        default=None, compare=False, repr=False
    )
    exact: tuple[tuple[Sequence[torch.Tensor], Sequence[torch.Tensor]], ...] = field(
        default=(), compare=False, repr=False
    )
    cpu_seconds: float = field(default=0.0, compare=False, repr=False)

    def without_tensors(self) -> Outcome:
        """Return the outcome without the tensors of its fields, which are no data for programs."""
        return replace(self, inputs=(), beyond=None, exact=())

    @property
    def is_right(self) -> bool:
        """Whether results are right, except where runtimes may differ."""
        return self.kind in ("right", "order", "random")

    @property
    def is_refused(self) -> bool:
        """Whether the exporter refuses, and writes no file."""
        return self.kind == "export"

    @property
    def is_of_model(self) -> bool:
        """Whether the model is at fault: it raises, or returns no tensor."""
        return self.fault == "model"

    @property
    def is_of_buffers(self) -> bool:
        """Whether the file is right but for its buffers, which hold what the export left."""
        return self.fault == "buffers"

    @property
    def fails_for_others(self) -> bool:
        """Whether the file is right for the example inputs, and fails for others."""
        return self.kind == "example"

    @property
    def is_wrong(self) -> bool:
        """Whether the file has wrong results for the example inputs, or fails for others."""
        return self.kind == "values" or self.fails_for_others

    @property
    def is_specialised(self) -> bool:
        """Whether torch.export has made a size a constant that other inputs have otherwise."""
        return self.fault == "specialised"

    @property
    def is_of_sizes(self) -> bool:
        """Whether the file is right for the sizes of the example inputs, and fails for others."""
        return self.is_of_unexplained_sizes or (self.fails_for_others and self.is_specialised)

    @property
    def is_of_unexplained_sizes(self) -> bool:
        """Whether it is so, and torch.export does not say where it makes a size a constant."""
        return self.fails_for_others and self.fault == "sizes"

    @property
    def is_by_runtime(self) -> bool:
        """Whether it is of `onnxop_runtime.export`."""
        return self.how == "runtime"

    @property
    def equal_sizes(self) -> str:
        """Which dimensions have to be of equal size, as the rest of a sentence."""
        return join_words(f"{dimensions} have one size" for dimensions in self.equal)

    @property
    def further_inputs(self) -> str:
        """The inputs of the file that are numbers, as text; nothing if there are none."""
        noun = "a further input" if len(self.numbers) == 1 else "further inputs"
        return f"{noun} for {join_words(self.numbers)}" if self.numbers else ""

    @property
    def has_no_rule(self) -> bool:
        """Whether the exporter has no rule for an operator, at any opset."""
        return bool(_NO_RULE.search(self.why)) and "was added in version" not in self.why

    @property
    def is_of_data_condition(self) -> bool:
        """Whether torch.export refuses a condition on data, which no kind of arguments changes."""
        return self.is_of_tracer and "GuardOnDataDependentSymNode" in self.why

    @property
    def named(self) -> list[tuple[str, str]]:
        """The operators that a refusal names: ``namespace::name``, and the overload, or ``""``."""
        operators = []
        for match in _NAMED.finditer(self.why):
            if op := match["op"] or match["missing"]:
                operators.append((op, ""))
                continue
            name = (
                match["name"]
                or match["rule"]
                or _aten_name(match["unsupported"] or match["inplace"])
            )
            if name:
                operators.append((f"{match['space'] or 'aten'}::{name}", match["overload"] or ""))
        return list(dict.fromkeys(operators))

    def __str__(self) -> str:
        kind = f"{WORDS[self.kind]}{WAYS[self.how]}"
        if self.numbers:
            kind += f", with {self.further_inputs}"
        if self.awaits_sizes:
            kind += f"; other sizes were not tried{f': {self.stopped}' if self.stopped else ''}"
        if self.equal:
            kind += f" as long as {self.equal_sizes}"
        if self.is_right and self.refused:
            former = "" if self.is_by_runtime else "refused: "
            return f"{kind}; else {former}{self.refused}"
        if match := _NO_RULE.search(self.why):
            how = self.why[: match.start()] if self.fails_for_others else ""
            return f"{kind}: {how}no rule for {'::'.join(filter(None, match.groups()))}"
        why = self.why.partition(" Signature: ")[0]
        return f"{kind}: {why}" if why else kind


def _aten_name(word: str) -> str:
    """Return the name of PyTorch's operator that a word of an error names, as ``unfold`` of
    ``Unfold``; ``""`` of other words, as in "operator of advanced indexing".
    """
    return next((name for name in (word, word.lower()) if hasattr(torch.ops.aten, name)), "")


def outcome(answer: Any) -> Outcome:
    """Return the answer of a forked process as an outcome."""
    if isinstance(answer, Outcome):
        return answer
    if isinstance(answer, ProcessDied):
        return Outcome("crash", str(answer), "cpu_time" if answer.is_out_of_cpu_time else "")
    return Outcome("crash", format_error(answer))


def first_error(error: _Error) -> _Error:
    """Return the first one of errors of torch.export at conditions on data, of which each was
    raised while the model handled the one before.
    """
    is_of_condition = type(error).__name__ == "GuardOnDataDependentSymNode"
    while is_of_condition and isinstance(error.__context__, type(error)):
        error = error.__context__
    return error


def format_error(error: BaseException) -> str:
    """Return the exception as one line."""
    return f"{type(error).__name__}: {short(str(error))}"


def format_error_with_line(error: BaseException) -> str:
    """Return the exception as one line, with the line of the user's code that raises it."""
    frames = traceback.extract_tb(error.__traceback__)
    place = places.of_frames([(frame.filename, frame.lineno or 0) for frame in frames])
    return f"{format_error(error)}; at {place.with_code}" if place else format_error(error)


def short(text: str) -> str:
    """Return the text as one line of at most 300 characters, without frames of Python's tracebacks,
    and without what ONNX Runtime writes before its errors.
    """
    for pattern, instead in _PREFIXES.items():
        text = pattern.sub(instead, text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if "Traceback of TorchScript" in text:
        lines = lines[-1:]
    line = " ".join(line for line in lines if not line.startswith(("File ", "^")))
    if len(line) <= _LONGEST:
        return line
    first_paragraph, blank, _ = text.strip().partition("\n\n")
    if blank:
        return short(first_paragraph)
    cut = line[: _LONGEST - 3].rpartition(" ")[0]
    return f"{cut} ..."


def lines_by_opset(outcomes: Mapping[int, Outcome]) -> Iterator[str]:
    """Yield one line per run of opsets whose outcomes differ in nothing but the opset."""

    def plain(item: tuple[int, Outcome]) -> tuple[Kind, str]:
        opset, outcome = item
        return outcome.kind, re.sub(rf"\b{opset}\b", "N", outcome.why)

    for _, group in groupby(sorted(outcomes.items()), key=plain):
        span, (first, *_) = zip(*group, strict=True)
        yield f"opset {opsets(span)}: {first}"


def opsets(span: Iterable[int]) -> str:
    """Return the opsets as ranges: ``9-13, 18``."""
    groups = groupby(enumerate(sorted(span)), lambda item: item[1] - item[0])
    ranges = [[opset for _, opset in group] for _, group in groups]
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in ranges)


def indented(text: str, first: str, then: str | None = None) -> str:
    """Wrap the text, with the indent ``example`` on the first line, and ``then`` on the others."""
    wrapper = textwrap.TextWrapper(_WIDTH, first, first if then is None else then)
    wrapper.break_long_words = wrapper.break_on_hyphens = False
    return wrapper.fill(text) or first
