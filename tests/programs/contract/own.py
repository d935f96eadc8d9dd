# Run by test_a_package_s_functions_see_its_own_operators of test_contract.py.
import json

import asinh
import my_add
import onnx
import torch

import onnxop_runtime


class Both(torch.nn.Module):
    def forward(self, x):
        return my_add.my_add(torch.asinh(x), x)


model, args = Both().eval(), (torch.rand(2, 3),)
claims: dict[str, bool] = {}


def nodes(export, **options):
    export(model, args, "model.onnx", **options)
    return sorted((node.domain, node.op_type) for node in onnx.load("model.onnx").graph.node)


for dynamo in (True, False):
    exporter = "dynamo" if dynamo else "TorchScript"
    options = {"dynamo": dynamo, "verbose": False}

    plain = nodes(my_add.export, **options)
    claims[f"{exporter}: an export uses the rule of another package"] = "Asinh" in str(plain)
    claims[f"{exporter}: without a domain, a mapping is written"] = (
        "my_lib",
        "my_add",
    ) not in plain

    in_mine = nodes(my_add.export, domain="mine", **options)
    claims[f"{exporter}: my_add.export gives its domain to my_add alone"] = in_mine == [
        ("", "Asinh"),
        ("mine", "my_add"),
    ]
    in_mine = nodes(asinh.export, domain="mine", **options)
    claims[f"{exporter}: asinh.export gives its domain to asinh"] = ("mine", "asinh") in in_mine
    claims[f"{exporter}: asinh.export does not give it to my_add"] = (
        "mine",
        "my_add",
    ) not in in_mine

    both = {"my_lib::my_add": "mine", "asinh::asinh": "yours"}
    in_both = nodes(onnxop_runtime.export, domain=both, **options)
    claims[f"{exporter}: the runtime's export takes domains of several packages"] = (
        "mine",
        "my_add",
    ) in in_both

    report = onnxop_runtime.verify(model, args, domain=both, **options)
    counts = (report.native, report.nodes)
    claims[f"{exporter}: verify runs the nodes of both packages natively"] = counts == (2, 2)
    claims[f"{exporter}: verify compares with native kernels"] = "native kernel" in report.errors

try:
    my_add.export(model, args, "model.onnx", domain={"asinh::asinh": "mine"})
except ValueError as error:
    refusal = str(error)
else:
    refusal = ""
own_operators = "the operators are ['my_lib::my_add']"
claims["my_add.export refuses a domain for another package's operator"] = own_operators in refusal

of_my_add, of_asinh = my_add.translation_table(), asinh.translation_table()
claims["a translation table has its package's operator alone"] = len(of_my_add) == 1
claims["translation tables of two packages share nothing"] = not of_my_add.keys() & of_asinh.keys()
print(json.dumps(claims))
