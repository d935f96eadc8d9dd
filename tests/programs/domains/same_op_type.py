# Run by test_one_op_type_of_two_operators of test_domains.py.
import tempfile
from pathlib import Path

import a_ops
import b_ops
import onnx
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return a_ops.f(a_ops.g(b_ops.h(x)))


model, args, path = Model().eval(), (torch.rand(3),), Path(tempfile.mkdtemp(), "m.onnx")
a_ops.export(model, args, path, dynamo=False)
nodes = [(node.domain, node.op_type) for node in onnx.load(path).graph.node]
print(nodes == [("three", "Same"), ("two", "Same"), ("one", "Same")])
path.unlink()
for package, domain, message in (
    (a_ops, "x", "a::f and a::g would both be the node x::Same; give each a domain of its own"),
    (a_ops, {"a::f": "two"}, "a::f and a::g would both be the node two::Same"),
    (
        b_ops,
        "one",
        (
            "a::f and b::h would both be the node one::Same; give each a domain of its own, "
            'as in domain={"b::h": "my_lib"}'
        ),
    ),
):
    for dynamo in (True, False):
        try:
            package.export(model, args, path, domain=domain, dynamo=dynamo)
        except ValueError as error:
            print(message in str(error) and not path.exists())
a_ops.export(model, args, path, domain={"a::f": "x"}, dynamo=False)
b_ops.export(model, args, path, domain="", dynamo=False)
