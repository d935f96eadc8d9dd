"""What scan says of lines of PyTorch's own modules that ask for values: the call that leads there, what
decides, and what to change in the call.
"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import torch

from onnxop.scan.attempts import whole_model
from onnxop.scan.calls.model_calls import trace_model
from onnxop.scan.causes import nested_tensors
from onnxop.scan.model import other_inputs
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.one_side import asked_within, wording
from onnxop.scan.report.failed_export import FailedExport
from onnxop.scan.report.report import Report
from onnxop.scan.source.rewrites import rewrite_of
from onnxop.trial import places, trial
from onnxop.trial.outcome import Outcome
from onnxop.trial.places import Place
from tests.packages.scanning import scanned
from tests.programs import program
from tests.tiers import nightly
from tests.warm import Warm

DYNAMO = Export("dynamo", 20)
FILE = Path(__file__).parents[1] / "programs" / "scan" / "within_pytorch.py"


@cache
def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("within_pytorch", FILE)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def built(name: str) -> Target:
    return other_inputs.find_other_inputs(Target(name, *getattr(module(), name)()))


def stop_of(name: str) -> Place:
    net = built(name)
    return asked_within.with_inputs(net, trace_model(net, lambda _: None).stops["dynamo"])


@pytest.mark.parametrize(
    ("name", "code", "file", "decides", "advice"),
    [
        ("build", "return self.layers(", "transformer", "the values of mask", "is_causal=False"),
        ("packed", "= self.gru(", "rnn", "the sizes of the inputs", "the TorchScript exporter"),
        ("words", "return self.output(", "adaptive", "", "Call log_prob()"),
    ],
)
def test_a_stop_within_pytorch(name: str, code: str, file: str, decides: str, advice: str) -> None:
    """The user's call is told, and what to change in it; the line of PyTorch stands beside it."""
    stop = stop_of(name)
    assert stop.within is not None
    assert code in stop.code
    assert str(stop.within).startswith(f"torch/nn/modules/{file}.py:")
    assert f" (within PyTorch, {stop.within}: " in stop.with_code
    assert stop.within.of == decides
    assert advice in rewrite_of(stop)


@pytest.mark.parametrize(
    "name", [nightly("told"), "full_words", nightly("padded_without_nested_tensors")]
)
def test_what_the_advice_gives(name: str) -> None:
    trial.warm_up_exporters()
    outcome = whole_model.try_exports(built(name), [DYNAMO], lambda _: None)[DYNAMO]
    assert str(outcome) == "right"


@pytest.mark.parametrize("outcome", [Outcome("values"), Outcome("example", then="values")])
def test_nested_tensors(outcome: Outcome) -> None:
    """PyTorch alone has them; the model has them again after the question."""
    net = built("padded")
    for _ in range(2):
        cause = nested_tensors.cause(FailedExport(Report(net), DYNAMO, outcome))
        assert cause is not None
        assert cause.fact.startswith("PyTorch alone computes the module layers with nested tensors")
        assert "enable_nested_tensor=False" in cause.advice
    assert nested_tensors.cause(FailedExport(Report(net), DYNAMO, Outcome("export"))) is None
    x, hidden = net.args
    full = replace(net, args=(x, torch.zeros_like(hidden)))
    assert nested_tensors.cause(FailedExport(Report(full), DYNAMO, outcome)) is None
    others = built("padded_without_nested_tensors")
    assert nested_tensors.cause(FailedExport(Report(others), DYNAMO, outcome)) is None


def test_a_line_of_the_model_is_not_within_pytorch() -> None:
    """Nor is one that fails in PyTorch's machinery, or in the calls of modules."""
    calls = places._CALLS
    frames = [(__file__, 3), (calls, 1)]
    place = places.of_asking(frames)
    assert place is not None
    assert place.within is None
    asking = places.of_asking([*frames, (f"{Path(calls).parent}/rnn.py", 5), (calls, 2)])
    assert asking is not None
    assert asking.within is not None
    assert asking.inner.within == asking.within
    assert asking.within.line == 5


def test_a_kept_line_within_pytorch() -> None:
    """No condition is told at a line of the user that has none."""
    place = Place(
        "net.py", 8, "y = self.gru(x)", within=places.Within("rnn.py", 3, "", "the values of x")
    )
    other = Place("net.py", 9, "if y.sum() > 0:")
    text = "what PyTorch itself asks for in the call at net.py:8, which depends on the values of x"
    assert wording.kept([place]) == text
    assert wording.kept_otherwise([other, place]) == (
        f"reach another side of the condition at net.py:9 or change {text}"
    )


@pytest.mark.nightly
def test_a_report_of_a_condition_within_pytorch(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(program("scan/within_pytorch"), warm, tmp_path)
    told = " ".join(" ".join(output["next"]).split())
    assert (
        "torch.export stops at net.py:15: return self.layers(x, mask=mask, **self.options)" in told
    )
    assert "which depends on the values of mask). Give the call is_causal=False" in told
    assert "choose with torch.where" not in told
