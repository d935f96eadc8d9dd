"""The contract of packages and runtime: identity, versions, and which operators a package's functions see."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop_runtime.installer import pip_install
from tests.programs import program
from tests.warm import Warm

VERSIONS = program("contract/versions")


def test_a_package_for_another_runtime(warm: Warm, tmp_path: Path) -> None:
    later, earlier = warm.checked("-c", VERSIONS, cwd=tmp_path).splitlines()
    assert later.startswith("acme was made for API 2 of onnxop-runtime, but 0.")
    assert later.endswith(f"run {pip_install()} -U onnxop-runtime")
    assert earlier.endswith("run onnxop update in its folder, and reinstall it")


OWN = """
import onnx, torch
import asinh, my_add
import onnxop_runtime

class Both(torch.nn.Module):
    def forward(self, x):
        return my_add.my_add(torch.asinh(x), x)

model, args = Both().eval(), (torch.rand(2, 3),)

def nodes(export, **options):
    export(model, args, "model.onnx", **options)
    return sorted((node.domain, node.op_type) for node in onnx.load("model.onnx").graph.node)

for dynamo in (True, False):
    options = {"dynamo": dynamo, "verbose": False}
    plain = nodes(my_add.export, **options)
    print("Asinh" in str(plain), ("my_lib", "my_add") not in plain)
    # A domain is that of the package's own operators.
    print(nodes(my_add.export, domain="mine", **options) == [("", "Asinh"), ("mine", "my_add")])
    print(nodes(asinh.export, domain="mine", **options)[-1] == ("mine", "asinh"))
    both = {"my_lib::my_add": "mine", "asinh::asinh": "yours"}
    print(("mine", "my_add") in nodes(onnxop_runtime.export, domain=both, **options))
    # Compared with the libraries of both.
    report = onnxop_runtime.verify(model, args, domain=both, **options)
    print((report.native, report.nodes) == (2, 2), "native kernel" in report.errors)
try:
    my_add.export(model, args, "model.onnx", domain={"asinh::asinh": "mine"})
except ValueError as error:
    print("the operators are ['my_lib::my_add']" in str(error))
tables = my_add.translation_table(), asinh.translation_table()
print(not tables[0].keys() & tables[1].keys(), len(tables[0]) == 1)
"""


@pytest.mark.parametrize("imports", ["asinh, my_add", "my_add, asinh"])
def test_a_package_s_functions_see_its_own_operators(
    packages: Warm, tmp_path: Path, imports: str
) -> None:
    """Check it for each order of imports."""
    code = OWN.replace("asinh, my_add", imports, 1)
    output = packages.checked("-W", "ignore", "-c", code, cwd=tmp_path)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert set(" ".join(lines).split()) == {"True"}, output
    assert len(lines) == 12
