"""What a starter's samples give without a spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import torch

from onnxop.starter import guesses, starter
from onnxop.trial import trial
from onnxop.trial.outcome import Outcome

RIGHT = Outcome("right")
WRONG = Outcome("values", "output 0 differs")


@pytest.mark.parametrize(
    ("outcomes", "count", "kinds"),
    [
        ([RIGHT], 1, ["right", "right", "right"]),
        ([WRONG, RIGHT, WRONG], 3, ["right", "values"]),
    ],
    ids=["right", "wrong"],
)
def test_samples_are_exported_as_one_model(
    outcomes: Sequence[Outcome], count: int, kinds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that is wrong, one after another, until one of them is."""
    tried: list[str] = []

    def run(works: Sequence[Any]) -> Iterator[tuple[int, Outcome]]:
        for index, work in enumerate(works):
            _, exporter, _ = work.args
            tried.append(exporter)
            yield index, outcomes[tried.count(exporter) - 1]

    monkeypatch.setattr(trial, "run_works", run)
    monkeypatch.setattr(trial, "warm_up_exporters", lambda: None)
    schema, _ = starter._schema("aten::erfinv", "", ())
    overload = torch.ops.aten.erfinv.default
    sample = guesses.first(schema, overload).sample
    stock = starter._stock(schema, overload, [sample] * 3)
    assert [*stock] == ["dynamo", "TorchScript"]
    for exporter in stock:
        assert [outcome.kind for outcome in stock[exporter]] == kinds
        assert tried.count(exporter) == count
