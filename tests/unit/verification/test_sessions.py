"""What sessions ask for: the provider for CUDA, libraries and their domains."""

from __future__ import annotations

from typing import Any

import onnxruntime  # type: ignore[import-untyped]
import pytest

from onnxop_runtime.operator.library import Library
from onnxop_runtime.verification import cuda, session
from tests.unit.exporting.samples import asinh


class Compiled:
    """A package of an operator without a kernel in C++."""

    def __init__(self) -> None:
        self.operators = [asinh()]
        self.library = Library("my_lib")


def options_for(**arguments: Any) -> Any:
    return session.session_options(Compiled(), **arguments)


@pytest.mark.parametrize(
    ("providers", "is_requested"),
    [
        (["CUDAExecutionProvider", "CPUExecutionProvider"], True),
        ([("CUDAExecutionProvider", {"device_id": 0})], True),
        (["CPUExecutionProvider"], False),
        (None, False),
    ],
)
def test_who_asks_for_cuda(providers: Any, is_requested: bool) -> None:
    options = onnxruntime.SessionOptions()
    assert cuda.is_requested(options, {"providers": providers}) is is_requested


def test_no_library_computes_standard_nodes() -> None:
    with pytest.raises(ValueError, match='domain="" stands for standard nodes'):
        options_for(domain={"aten::asinh": ""})


def test_a_domain_needs_a_kernel() -> None:
    with pytest.raises(ValueError, match="has no C\\+\\+ kernel; leave it out of domain"):
        options_for(domain={"aten::asinh": "acme"})


def test_an_entry_of_options() -> None:
    options = onnxruntime.SessionOptions()
    assert not session._has(options, "onnxop.domains.x")
    options.add_session_config_entry("onnxop.domains.x", "acme")
    assert session._has(options, "onnxop.domains.x")
