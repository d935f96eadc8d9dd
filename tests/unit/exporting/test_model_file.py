"""Function bodies and metadata of a written model, and the checks of its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import onnx
import pytest
import torch

from onnxop_runtime.exporting.call import model_file
from onnxop_runtime.exporting.domain_nodes import domains
from onnxop_runtime.exporting.domain_nodes.missing_kernels import NoKernelWarning
from onnxop_runtime.operator.export_context import ExportContext
from onnxop_runtime.operator.model import Operator

from .samples import OPSET, asinh, context, existing


def model(text: str = "y = acme.asinh (x)") -> onnx.ModelProto:
    return onnx.parser.parse_model(
        f"""
        <ir_version: 8, opset_import: ["": 18, "acme": 7]>
        graph (float[2] x) => (float[2] y) {{ {text} }}
        """
    )


def written(operator: Operator, **fields: bool) -> ExportContext:
    """Return an export that has written a node of the operator."""
    export = context(operator, domains={operator: "acme"}, **fields)
    domains.record(operator, export)
    return export


def test_bodies_and_versions() -> None:
    added = model()
    model_file.add_bodies(added, OPSET, written(asinh()))
    assert [(f.domain, f.name) for f in added.functions] == [("acme", "asinh")]
    assert {entry.domain: entry.version for entry in added.opset_import} == {"": 18, "acme": 1}


def test_functions_of_the_model_import_the_domain() -> None:
    added = onnx.parser.parse_model(
        """
        <ir_version: 8, opset_import: ["": 18, "acme": 1, "pkg": 1]>
        graph (float[2] x) => (float[2] y) { y = pkg.Block (x) }
        <domain: "pkg", opset_import: ["": 18]> Block (a) => (b) { b = acme.asinh (a) }
        """
    )
    model_file.add_bodies(added, OPSET, written(asinh()))
    assert {entry.domain for entry in added.functions[0].opset_import} == {"", "acme"}


def test_a_node_without_body_needs_a_kernel() -> None:
    with pytest.raises(ValueError, match="function_bodies=False, but it has no C"):
        model_file.add_bodies(model(), OPSET, written(asinh(), function_bodies=False))


def test_a_node_without_body_at_this_opset() -> None:
    with pytest.warns(NoKernelWarning, match="has no function body at opset 9 and no C"):
        model_file.add_bodies(model(), 9, written(asinh()))
    native = replace(asinh(), is_native=True)
    model_file.add_bodies(model(), 9, written(native))  # DEPLOYMENT says that it needs the library
    needs = (
        "has no function body at opset 9, so it runs only with the library of my_lib; for others"
    )
    with pytest.warns(NoKernelWarning, match=needs):
        model_file.add_bodies(model(), 9, written(native, is_plain=True))


def test_metadata_is_added() -> None:
    export, entry = written(asinh()), model()
    onnx.helper.set_model_props(entry, {"mine": "1"})
    assert [*model_file.metadata(entry, export)] == ["mine", "onnxop.aten::asinh"]


def test_decomposed_operators() -> None:
    operator = asinh()
    export = written(operator)
    model_file.check_references(export)
    export.log.fell_back_to_reference[operator] = torch.float16
    with pytest.warns(UserWarning, match=r"not a node of acme: its kernel has no torch.float16"):
        model_file.check_references(export)
    with pytest.raises(ValueError, match="function_bodies=False needs the node"):
        model_file.check_references(replace(export, function_bodies=False))


def check(written_model: onnx.ModelProto, path: Path, export: ExportContext) -> None:
    onnx.save(written_model, path)
    model_file.check_model(path, export)


def test_a_valid_file(tmp_path: Path) -> None:
    check(model("y = Relu (x)"), tmp_path / "m.onnx", context())


def test_another_opset(tmp_path: Path) -> None:
    export = replace(context(), opset=20)
    with pytest.raises(RuntimeError, match=r"the dynamo exporter wrote opset \[18\] though 20 was"):
        check(model("y = Relu (x)"), tmp_path / "m.onnx", export)


def test_an_invalid_file(tmp_path: Path) -> None:
    with pytest.raises(
        RuntimeError, match="(?s)wrote an invalid model: .*; if a type is unsupported"
    ):
        check(model("y = Add (x)"), tmp_path / "m.onnx", context(dynamo=False))


def test_a_native_node_can_do_without_body(tmp_path: Path) -> None:
    operator = existing("aten::asinh.default", "op.Elu(self)", is_native=True)
    invalid = model()
    body = [onnx.helper.make_node("asinh", [], ["y"], domain="acme")]
    del invalid.graph.node[:]
    invalid.graph.node.extend(body)
    imports = [onnx.helper.make_opsetid("", 18)]
    nodes = [onnx.helper.make_node("Add", ["a"], ["b"])]
    invalid.functions.append(
        onnx.helper.make_function("acme", "asinh", ["a"], ["b"], nodes, imports)
    )
    with pytest.raises(RuntimeError, match="wrote an invalid model"):
        check(invalid, tmp_path / "m.onnx", written(operator))
