"""Models whose forward writes to buffers, and what their files begin with."""

from __future__ import annotations

import pytest
import torch

from onnxop.scan.attempts import calls_to_try, whole_model
from onnxop.scan.causes import decisive
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.model.written_buffers import WrittenBuffers, written_buffers
from onnxop.scan.pages import next_steps
from onnxop.scan.report.failed_export import FailedExport
from onnxop.scan.report.report import Report
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome

DYNAMO, TORCHSCRIPT = Export("dynamo", 20), Export("TorchScript", 20)
X = torch.rand(3, 2)


class Stream(torch.nn.Module):
    """Puts the last rows of one call before those of the next."""

    cache: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("cache", torch.zeros(2, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.cat([self.cache, x])
        self.cache = x[-2:].clone()
        return y


class Within(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stream = Stream()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.stream(x)
        return y


class InPlace(Stream):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.cat([self.cache, x])
        self.cache.copy_(x[-2:])
        return y


class Counting(Stream):
    """Counts its calls; nothing reads the count."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.cache += 1
        return x * 2


class Drawing(Stream):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.cache += 1
        return x + torch.rand_like(x)


@pytest.mark.parametrize("model", [Stream(), Within(), InPlace()], ids=lambda m: type(m).__name__)
def test_buffers_are_restored(model: torch.nn.Module) -> None:
    """Those to which forward assigns another tensor, too."""
    (buffer,) = model.buffers()
    first, again = Call(model, (X,)).results(), Call(model, (X + 1,)).results()
    assert [*model.buffers()] == [buffer]
    assert not buffer.any()
    assert torch.equal(first[0][:2], again[0][:2])


@pytest.mark.parametrize(
    ("model", "is_read"),
    [(Stream(), True), (InPlace(), True), (Counting(), False), (Drawing(), False)],
    ids=lambda m: type(m).__name__,
)
def test_a_later_call_has_other_results(model: torch.nn.Module, is_read: bool) -> None:
    written = written_buffers(Call(model, (X,)))
    assert written.names == ["cache"]
    assert bool(written.later_difference) is is_read


@pytest.mark.slow
def test_a_trace_leaves_its_own_values() -> None:
    """Its file is not right for a fresh model, that of the dynamo exporter is; without such results,
    both are.
    """
    written = WrittenBuffers(["cache"], "output 0: 2 of 10 elements differ")
    for known, kinds in (
        (written, ["right", "values"]),
        (WrittenBuffers(["cache"]), ["right"] * 2),
    ):
        target = Target("net", Stream(), (X,), written=known)
        outcomes = whole_model.try_exports(target, [DYNAMO, TORCHSCRIPT], lambda _: None)
        assert [outcome.kind for outcome in outcomes.values()] == kinds


@pytest.mark.parametrize(
    ("dynamo", "advice"),
    [
        (Outcome("right"), "Or use the dynamo exporter, which exports the model right"),
        (Outcome("export", "no rule"), "Or use the dynamo exporter, if it takes the model"),
    ],
)
def test_what_to_do_about_a_trace_that_leaves_its_values(dynamo: Outcome, advice: str) -> None:
    wrong = Outcome("values", "the file begins with other values", "buffers")
    target = Target("net", Stream(), (X,), written=WrittenBuffers(["cache"], "output 0 differs"))
    report = Report(target, {DYNAMO: dynamo, TORCHSCRIPT: wrong})
    cause = decisive.cause(FailedExport(report, TORCHSCRIPT, wrong))
    assert cause is not None
    assert "left in the buffer cache" in cause.fact
    assert cause.advice.startswith("Make this state an argument and a result of forward")
    assert advice in cause.advice
    assert all(attempt.export is DYNAMO for attempt in calls_to_try.list_attempts(report))
    report.causes[TORCHSCRIPT] = cause
    told = " ".join(" ".join(next_steps.steps(report, None, None)).split())
    assert ("dynamo=True" if dynamo.is_right else cause.fact) in told
