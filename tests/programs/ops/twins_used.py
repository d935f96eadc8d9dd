# Run by test_two_kernels_of_one_signature of test_ops.py.
import many_ops
import onnxruntime
import torch
from many_ops import _kernel
from onnx import TensorProto, helper

x = torch.rand(2, 3)
print(many_ops.twice(x, [3]).tolist() == [2.0] * 6, many_ops.thrice(x, [3]).tolist() == [3.0] * 9)
print(_kernel._infer_twice(x, [3]) == ((torch.float32, [6]),))
print(_kernel._infer_thrice(x, [3]) == ((torch.float32, [9]),))
try:
    _kernel.thrice(x.double(), [3])
except RuntimeError as error:
    print(str(error) == "other_lib::thrice supports float32, but x is float64")
nodes = [
    helper.make_node("twice", ["x"], ["two"], domain="one_domain", to=[3]),
    helper.make_node("thrice", ["x"], ["three"], domain="other_domain", to=[3]),
    helper.make_node("twice", ["x"], ["more"], domain="third_domain", to=[1]),
]
graph = helper.make_graph(
    nodes,
    "graph",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
    [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("two", "three", "more")],
)
domains = ("", "one_domain", "other_domain", "third_domain")
imports = [helper.make_opsetid(domain, 18 if not domain else 1) for domain in domains]
model = helper.make_model(graph, opset_imports=imports, ir_version=9).SerializeToString()
options = onnxruntime.SessionOptions()
options.add_session_config_entry("onnxop.domains.one_lib::twice", "third_domain")
for _ in range(2):
    options.register_custom_ops_library(many_ops.library_path())
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
two, three, more = session.run(None, {"x": x.numpy()})
print(two.tolist() == [2.0] * 6, three.tolist() == [3.0] * 9, more.tolist() == [2.0] * 2)
