"""A model as exporters trace it: its calls, and what a trace keeps."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest
import torch

from onnxop.scan.calls import own_functions, reads, recorded_calls, traces
from onnxop.scan.calls.model_calls import TracedModel, merge_calls, stops_at, trace_model
from onnxop.scan.calls.packed_sequences import is_of_pairs
from onnxop.scan.calls.recorded_calls import RecordedCall
from onnxop.scan.model.target import Target
from onnxop.scan.one_side.kept_sides import kept_sides
from onnxop.trial import places, trial
from onnxop.trial.call import Call
from onnxop.trial.places import Place
from onnxop_runtime import processes

WARNING = "Converting a tensor to a Python boolean might"


class Scaled(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x) * self.weight
        return torch.relu(y)


LINE = Scaled.forward.__code__.co_firstlineno
X = torch.rand(2, 3)


def test_both_exporters_see_the_same_calls() -> None:
    with processes.quiet():
        seen_by_export = recorded_calls.calls_in_program(Call(Scaled().eval(), (X,)))
        traced = traces.calls_in_trace(Call(Scaled().eval(), (X,)))
    for seen in (seen_by_export, traced):
        assert [call.op for call in seen] == ["aten::relu", "aten::mul"]
        relu, multiplied = seen
        assert [place.line for place in relu.places] == [LINE + 1, LINE + 2]
        assert (relu.count, multiplied.count) == (2, 1)
    (merged,) = merge_calls({"dynamo": seen_by_export, "TorchScript": traced})
    assert [call.key for call in merged["dynamo"]] == [call.key for call in seen_by_export]
    assert merged["TorchScript"] == merged["dynamo"]  # the same objects, which have all outcomes


def halves_of_rows(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([x[n] / 2 for n in range(x.shape[0])])


class Parts(torch.nn.Module):
    def scores(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(x) / len(x.shape)

    def of_library(self, x: torch.Tensor) -> torch.Tensor:
        return library_function()(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.of_library(self.scores(halves_of_rows(x)))


def library_function() -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a function of a library in site-packages."""
    functions: dict[str, Any] = {}
    code = "import torch\ndef cosine(x):\n    return torch.cos(x)"
    exec(compile(code, "/env/lib/site-packages/lib/functions.py", "exec"), functions)  # noqa: S102
    return functions["cosine"]  # type: ignore[no-any-return]


def test_the_line_of_a_call_is_the_innermost_of_the_user() -> None:
    """Not that of forward, which calls another method, or a function."""
    call = Call(Parts().eval(), (X,))
    with processes.quiet():
        seen_by_export = recorded_calls.calls_in_program(call)
        traced = traces.calls_in_trace(call)
    for seen in (seen_by_export, traced):
        lines = {made.op: made.places[0].line for made in seen}
        start = Parts.scores.__code__.co_firstlineno
        assert lines["aten::sigmoid"] == start + 1
        assert lines["aten::stack"] == halves_of_rows.__code__.co_firstlineno + 1
        assert lines["aten::cos"] == Parts.of_library.__code__.co_firstlineno + 1


def test_the_line_of_a_size_is_the_innermost_of_the_user() -> None:
    """Also in another folder than the module's."""
    functions: dict[str, Any] = {"frames_of": lambda frame: [*traceback.walk_stack(frame)]}
    code = "import sys\ndef size():\n    return frames_of(sys._getframe())"
    exec(compile(code, "/elsewhere/sizes.py", "exec"), functions)  # noqa: S102

    class Sized(torch.nn.Module):
        def forward(self) -> list[tuple[FrameType, int]]:
            return functions["size"]()  # type: ignore[no-any-return]

    assert places.of_running(Sized()()) == Place("/elsewhere/sizes.py", 3, "")


def test_merged_calls_have_what_each_of_them_knows() -> None:
    """The calls that are given stay as they are."""
    split, larger = torch.ops.aten.split.Tensor, torch.rand(4, 3)
    first = RecordedCall(split, (X, 1), {}, frozenset(), used=frozenset({0}))
    other = RecordedCall(split, (X, 1), {}, frozenset(), used=frozenset({1}))
    other.others.append(((larger, 1), {}))
    (traced, at_several) = merge_calls({"dynamo": [first]}, {"TorchScript": [other]})
    (merged,) = traced["dynamo"]
    assert at_several["TorchScript"] == [merged]
    assert (merged.used, merged.others) == (frozenset({0, 1}), other.others)
    assert (first.used, first.others) == (frozenset({0}), [])


def test_a_call_alone_has_the_weights_as_constants() -> None:
    with processes.quiet():
        _, multiplied = traces.calls_in_trace(Call(Scaled().eval(), (X,)))
    alone = multiplied.as_model_call()
    assert len(alone.tensors) == 1
    assert torch.equal(alone.results()[0], torch.relu(X))


@pytest.mark.slow
def test_a_call_alone_writes_to_copies_of_buffers() -> None:
    """As of inputs: torch.export refuses a buffer that is copied to itself, which in-place operators
    leave at the end of a model's graph.
    """
    buffer = torch.zeros(3)
    fixed = frozenset([id(buffer)])
    copied = RecordedCall(torch.ops.aten.copy_.default, (buffer, buffer), {}, fixed)
    added = RecordedCall(torch.ops.aten.add_.Tensor, (buffer, 1), {}, fixed)
    with processes.quiet():
        for call in (copied.as_model_call(), added.as_model_call()):
            assert trial.try_export(call, "dynamo", 20).is_right
    assert not buffer.any()


def test_calls_at_several_inputs() -> None:
    larger = torch.rand(5, 3)
    with processes.quiet():
        relu, _ = traces.calls_in_trace(Call(Scaled().eval(), (X,)), [[X], [larger]])
    ((args, _),) = relu.others
    assert torch.equal(args[0], larger)


def test_no_text_of_a_tensor_is_made_for_a_call_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes longer than the call."""

    def fail(_: torch.Tensor) -> str:
        raise AssertionError("a tensor was formatted")

    call = RecordedCall(torch.ops.aten.relu.default, (X,), {}, frozenset())
    call.others.append(((torch.rand(5, 3),), {}))
    monkeypatch.setattr(torch.Tensor, "__repr__", fail)
    assert call.as_model_call().axes == {0: {0}}


def test_steps_of_a_trace() -> None:
    class Written(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = x * 2
            y[0] += 1
            x.exp()
            return y.sum(1)

    with processes.quiet():
        traced = traces.traced_steps(Call(Written(), (X,)), [X])
    steps = {step.op: step for step in traced.steps}
    assert steps["aten::add"].writes_to_view
    assert not steps["aten::mul"].writes_to_view
    needed = [
        bool(step.needed & traced.needed) for step in (steps["aten::mul"], steps["aten::sum"])
    ]
    assert needed == [True, True]
    assert traced.steps[-1].op == "aten::sum"


class Reads(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 3:
            x = x * 2
        return x[: int(x.max())]


READS = Reads.forward.__code__.co_firstlineno


def test_what_python_reads_of_tensors() -> None:
    call = Call(Reads(), (torch.ones(2),))
    condition, number = reads.of_run(call)
    assert (condition.line.line, condition.value, condition.is_condition) == (
        READS + 1,
        "False",
        True,
    )
    assert (number.line.line, number.value, number.is_condition) == (READS + 3, "1", False)


def test_what_a_trace_reads_otherwise_for_other_inputs() -> None:
    call = Call(Reads(), (torch.ones(2),))
    assert reads.differing(call, [torch.ones(2) * 1.4]) == []
    (pair,) = reads.differing(call, [torch.ones(2) * 5])[:1]
    assert [read.value for read in pair] == ["False", "True"]


def test_a_condition_that_only_raises_is_not_kept() -> None:
    class Checked(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if x.sum() < 0:
                raise ValueError(x)
            if x.sum() > 1:
                x = x * 2
            return x

    first = Checked.forward.__code__.co_firstlineno
    checks, decides = (places.Place(__file__, first + n, "") for n in (1, 3))
    error = RuntimeError("data-dependent")
    constants = {checks: WARNING, decides: WARNING}
    traced = TracedModel(
        {}, constants, {"dynamo": error}, {"dynamo": places.at(__file__, first + 1)}
    )
    target = Target("net", Checked(), (X,))
    assert kept_sides(traced, target) == [decides]
    assert kept_sides(replace(traced, errors={}), target) == []


def test_the_line_at_which_a_trace_stops() -> None:
    def fails() -> None:
        raise ValueError("no line")

    try:
        fails()
    except ValueError as error:
        place = stops_at(error)
    assert place is not None
    assert (place.file, place.code) == (__file__, 'raise ValueError("no line")')


def test_calls_of_packed_sequences() -> None:
    pack = torch.ops.aten._pack_padded_sequence.default
    packed = RecordedCall(pack, (X, torch.tensor([3, 2]), True), {}, frozenset())
    assert is_of_pairs(packed)
    assert not is_of_pairs(RecordedCall(torch.ops.aten.relu.default, (X,), {}, frozenset()))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(_ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x * 2


@pytest.mark.slow
def test_functions_of_the_model_are_watched() -> None:
    with own_functions.record_own_functions() as own:
        Doubled.apply(X)
        Doubled.apply(X)
    (called,) = own.values()
    assert called.name == f"{__name__}.Doubled.apply"
    assert str(called).endswith("(float32[2, 3]) -> float32[2, 3]")
    assert len(called.places) == 2


class TwoConditions(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x * 2
        return x[: min(2, x.shape[0])]


def test_what_a_trace_keeps_is_at_the_models_lines() -> None:
    traced = trace_model(Target("net", TwoConditions(), (X,)), lambda _: None)
    first = TwoConditions.forward.__code__.co_firstlineno
    assert [place.line - first for place in traced.constants] == [1, 3]
