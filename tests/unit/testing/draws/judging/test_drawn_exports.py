"""What runtimes answer to a drawn call: results, or a refusal that is no fault of the file."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from onnxop_runtime.testing.draws.calls.call import DrawnCall
from onnxop_runtime.testing.draws.calls.tally import Refused
from onnxop_runtime.testing.draws.judging.drawn_exports import Exports
from onnxop_runtime.testing.samples import Sample, fixed, random
from onnxop_runtime.verification.runners import ONNX_RUNTIME
from tests.unit.testing.draws.drawn_operators import class_of, scalar

SAMPLE = Sample(x=random("float32", 4, sizes="n"), place=fixed(2))


class Files(Exports):
    """Files whose runtime looks a place up among two, and fails with a text if there is none."""

    def __init__(self, text: str, first: int = 0) -> None:
        scalars = [scalar("place", "int")]
        super().__init__(class_of(lambda x, place: x, SAMPLE, scalars=scalars), Path())
        self._text, self._places = text, range(first, 2)

    def _fed(self, drawn: DrawnCall) -> tuple[Any, dict[str, Any]]:
        """Return a runtime, and the call's place in place of its inputs."""
        return SimpleNamespace(run={ONNX_RUNTIME: self._run}), drawn.arguments()

    def _run(self, feeds: dict[str, Any]) -> list[Any]:
        if feeds["place"] not in self._places:
            raise RuntimeError(self._text)
        return [np.full(1, feeds["place"])]


def test_results_are_of_each_runtime() -> None:
    ((runtime, (result,)),) = Files("").answers(DrawnCall(SAMPLE, scalars={"place": 1}))
    assert (runtime, result.tolist()) == (ONNX_RUNTIME, [1])


@pytest.mark.parametrize(
    "text", ["invalid indice found, indice = 2", "idx=2 must be within: out of data bounds"]
)
def test_a_number_that_is_an_index_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        list(Files(text).answers(DrawnCall(SAMPLE)))


@pytest.mark.parametrize(("text", "first"), [("out of memory", 0), ("index out of bounds", 1)])
def test_another_error_is_one_of_the_file(text: str, first: int) -> None:
    """As is an index out of range that remains one with 0 in place of the number."""
    with pytest.raises(RuntimeError, match=text):
        list(Files(text, first).answers(DrawnCall(SAMPLE)))


OF_FLOAT16 = (
    "Non-zero status code returned while running {} node. Status Message: MLFloat16 data type is "
    "not supported with ScatterND opset 16 when reduction is 'add'."
)


def test_a_dtype_that_a_kernel_of_the_runtime_refuses_is_no_fault_of_the_file() -> None:
    assert [*Files(OF_FLOAT16.format("ScatterND")).answers(DrawnCall(SAMPLE))] == []


def test_a_dtype_that_the_package_s_own_kernel_refuses_is_one() -> None:
    with pytest.raises(RuntimeError, match="not supported"):
        list(Files(OF_FLOAT16.format("drawn")).answers(DrawnCall(SAMPLE)))
