# Run by test_models_with_domains_are_right of test_domains.py.
import asinh
import deform_conv2d
import my_add
import onnxruntime
from onnx import helper

operator = lambda package: package.package.operators[0]


def shape(package, domain, inputs, **attributes):
    values = [helper.make_tensor_value_info(name, 1, sizes) for name, sizes in inputs.items()]
    nodes = [
        helper.make_node(
            operator(package).op_type, list(inputs), ["t"], domain=domain, **attributes
        ),
        helper.make_node("Relu", ["t"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "g", values, [helper.make_tensor_value_info("y", 1, None)])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()
    session = onnxruntime.InferenceSession(model, package.session_options(domain=domain))
    return session.get_outputs()[0].shape


numbers = {f"{name}_{axis}": 1 for name in ("stride", "dilation") for axis in "hw"}
numbers |= {"pad_h": 0, "pad_w": 0, "groups": 1, "offset_groups": 1, "use_mask": 1}
sizes = {"input": ["n", 3, "h", 8], "weight": [6, 3, 3, 3], "offset": ["n", 18, "p", 6]}
sizes |= {"mask": ["n", 9, "p", 6], "bias": [6]}
for domain in ("", "custom"):
    own = lambda package: domain or operator(package).domain
    print(shape(my_add, own(my_add), {"a": ["n", 1, 5], "b": ["m", 1]}) == ["n", "m", 5])
    n, three, unknown = shape(my_add, own(my_add), {"a": ["n", 3, None], "b": ["n", 1, 1]})
    print((n, three) == ("n", 3) and unknown not in ("n", 1, -1))
    print(shape(asinh, own(asinh), {"self": ["n", 3, "h"]}) == ["n", 3, "h"])
    n, six, unknown, width = shape(deform_conv2d, own(deform_conv2d), sizes, **numbers)
    print((n, six, width) == ("n", 6, 6) and unknown not in ("n", "h", -1))
