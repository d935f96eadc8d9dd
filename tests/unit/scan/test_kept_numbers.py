"""The numbers that a trace keeps, and which of them other inputs change."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from onnxop.scan.causes import trace_constants
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.one_side.kept_numbers import kept_numbers
from onnxop.scan.pages import blocking
from onnxop.scan.report.report import KeptLines, Report
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome


class Rows(torch.nn.Module):
    """Reads how many rows there are, the largest number, and how many edges it has itself."""

    edges: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("edges", torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros(())
        for row in range(x.shape[0]):
            total = total + x[row].clamp(max=x.max().item()).sum()
        return total * len(self.edges)


FIRST = Rows.forward.__code__.co_firstlineno


@pytest.fixture
def call() -> Call:
    return Call(Rows().eval(), (torch.tensor([[1.0, 2.0], [0.0, 3.0]]),))


def test_numbers_that_other_inputs_change(call: Call) -> None:
    """Sizes change the number of steps, values what the steps read; nothing changes a buffer."""
    more = torch.tensor([[1.0, 2.0], [0.0, 3.0], [0.0, 1.0]])
    larger = torch.tensor([[1.0, 2.0], [0.0, 4.0]])
    found = kept_numbers(call, [(more,), (larger,)])
    told = {place.line - FIRST: text for place, text in found.changed.items()}
    assert told == {
        2: "2, and 3 for float32[3, 2]",
        3: "3.0, and 4.0 for other values",
    }
    assert [place.line - FIRST for place in found.unchanged] == [4]


def test_what_a_failing_trace_has_shown_is_kept(call: Call) -> None:
    """PyTorch takes no vector here; the inputs before it count."""
    found = kept_numbers(call, [(torch.ones(3, 2),), (torch.ones(()),)])
    assert [place.line - FIRST for place in found.changed] == [2, 3]
    assert not found.unchanged


@pytest.mark.slow
def test_a_page_names_what_other_inputs_change(call: Call) -> None:
    """Among what blocks a right file; and says so of lines that nothing changes."""
    more = torch.tensor([[1.0, 2.0], [0.0, 3.0], [0.0, 1.0]])
    found = kept_numbers(call, [(more,)])
    outcome = Outcome("example", "output 0 differs", "sizes", then="values")
    report = Report(
        Target("net", call.model, call.args),
        {Export("TorchScript", 20): outcome},
        kept=KeptLines(numbers=found.changed, unchanged=found.unchanged),
    )
    (line,) = [line for line in blocking.lines(report) if "keeps the number" in line]
    assert "for row in range(x.shape[0]) (2, and 3 for float32[3, 2]). Move the loop" in line
    constants = dict.fromkeys(found.unchanged, "Python integer")
    report.traced = replace(report.traced, constants=constants)
    report.whole = {Export("TorchScript", 20): Outcome("right")}
    (note,) = trace_constants.notes(report)
    assert str(note).endswith("constants here, which none of the inputs below changes.")
