"""A spec's kernel in PyTorch's operators, and the existing operators that specs name."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.operator.arguments import OperatorArgument
from onnxop_runtime.operator.model import Origin
from onnxop_runtime.registered import kernels, lookup_in_process
from onnxop_runtime.specs import reading
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.torch_internals import schema_of

SPEC = """
[op]
schema = "aten::asinh"

[onnx]
decomposed = true

[kernel]
python = "KERNEL"
"""


def kernel_of(code: str) -> dict[str, object]:
    document = reading.read_text(SPEC.replace("KERNEL", code), "asinh.toml").document
    assert document is not None
    overload = torch.ops.aten.asinh.default
    arguments = OperatorArgument.of_schema(schema_of(overload).arguments[0])
    return kernels.kernel_of("asinh.toml", document, overload, [arguments], Origin.GALLERY)


@pytest.mark.parametrize(
    "code", ["log(self + sqrt(self * self + 1))", "y = self\\nreturn y.asinh()"]
)
def test_an_expression_or_statements(code: str) -> None:
    described = kernel_of(code)
    kernel = described["kernel"]
    assert callable(kernel)
    assert torch.allclose(kernel(torch.ones(2)), torch.ones(2).asinh())
    assert described["name"] == "onnxop_gallery::asinh.default"
    assert described["schema"] == "(Tensor self) -> Tensor"
    assert described["fake"] is None


def test_existing_operators_are_found() -> None:
    problems = Problems()
    found = lookup_in_process.find("aten", "asinh", "aten::asinh", (), problems)
    assert found is not None
    assert any(schema.startswith("aten::asinh(Tensor self)") for schema in found.schemas)
    assert not problems


def test_a_missing_operator_has_a_similar_name() -> None:
    found = lookup_in_process.find("aten", "asinhh", "aten::asinhh", (), Problems())
    assert found is not None
    assert (found.schemas, "asinh" in found.missing) == ((), True)


def test_a_module_that_is_not_imported() -> None:
    problems = Problems()
    assert lookup_in_process.find("acme", "squash", "acme::squash", ("acme_ops",), problems) is None
    assert [problem.message for problem in problems] == [
        "acme_ops is not imported; import it first"
    ]
