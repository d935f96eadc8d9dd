# Run by test_models_with_domains_are_right of test_domains.py.
import my_add
import numpy as np
import onnxruntime
from onnx import TensorProto, helper


def model(kind, other=None):
    kinds = zip("abc", (kind, other or kind, kind))
    a, b, c = (helper.make_tensor_value_info(name, kind, None) for name, kind in kinds)
    node = helper.make_node("my_add", ["a", "b"], ["c"], domain="my_lib")
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("my_lib", 1)]
    graph = helper.make_graph([node], "g", [a, b], [c])
    return helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()


session = onnxruntime.InferenceSession(model(TensorProto.FLOAT), my_add.session_options())
try:
    session.run(None, {"a": np.ones((2, 3), np.float32), "b": np.ones(2, np.float32)})
except Exception as error:
    print("a and b of shapes [2, 3] and [2] cannot be broadcast together" in str(error))
try:
    onnxruntime.InferenceSession(model(TensorProto.STRING), my_add.session_options())
except Exception as error:
    print("my_add" in str(error))
try:
    onnxruntime.InferenceSession(
        model(TensorProto.FLOAT, TensorProto.DOUBLE), my_add.session_options()
    )
except Exception as error:
    print("a and b must have the same dtype, but a is float32 and b is float64" in str(error))
for kind, dtype in (
    (1, np.float32),
    (11, np.float64),
    (10, np.float16),
    (6, np.int32),
    (7, np.int64),
):
    session = onnxruntime.InferenceSession(model(kind), my_add.session_options())
    a, b = np.arange(6).reshape(2, 3).astype(dtype), np.arange(3).astype(dtype)
    print(np.array_equal(session.run(None, {"a": a, "b": b})[0], 2 * a + b))
