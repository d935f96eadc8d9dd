# Run by test_a_package_s_functions_see_its_own_operators of test_contract.py.
import asinh
import my_add
import onnx
import torch

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
