# Run by test_one_session_of_all_packages of test_ship.py.
import deform_conv2d
import my_add
import onnx
import torch
from torchvision.ops import DeformConv2d

import onnxop_runtime


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.offset, self.deform = torch.nn.Conv2d(3, 18, 3), DeformConv2d(3, 3, 3)

    def forward(self, x):
        y = self.deform(x, self.offset(x))
        return my_add.my_add(y, my_add.my_add(y, y))


def error_of(call):
    try:
        return str(call())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


model, args = Net().eval(), (torch.rand(1, 3, 8, 8),)
operator = "deform_conv2d::deform_conv2d"
domains = {"my_lib::my_add": "other", operator: "deform_conv2d"}
options = {"input_names": ["x"], "verbose": False}
onnxop_runtime.export(model, args, "both.onnx", domain=domains, **options)

# All nodes are native: by package, operator and provider.
both = {"deform_conv2d": {operator: {"cpu": 1}}, "my_add": {"my_lib::my_add": {"cpu": 2}}}
session = onnxop_runtime.session("both.onnx", require_native=True)
print(session.served == both, session.served)
(result,) = session.run(None, {"x": args[0].numpy()})
print(torch.allclose(torch.from_numpy(result), model(*args), atol=1e-5))

# A package's session has its own library, and checks its own nodes.
session = my_add.session("both.onnx", require_native=True)
print(session.served == {"my_add": both["my_add"]}, session.served)

# With the options of another session, whose library is registered already.
options_of_one = deform_conv2d.session_options()
session = my_add.session("both.onnx", options_of_one, require_native=True)
print(session.served == {"my_add": both["my_add"]}, session.served)

# A node of a package that is not imported runs as its function, which is not native.
both_model = onnx.load("both.onnx")
relu = onnx.parser.parse_function(
    '<domain: "acme", opset_import: ["" : 18]> relu (x) => (y) { y = Relu (x) }'
)
both_model.functions.append(relu)
both_model.opset_import.add(domain="acme", version=1)
before = both_model.graph.output[0].name
both_model.graph.node.add(op_type="relu", domain="acme", input=[before], output=["last"])
both_model.graph.output[0].name = "last"
onnx.save(both_model, "stranger.onnx")
print(onnxop_runtime.session("stranger.onnx").served == both)
why = error_of(lambda: onnxop_runtime.session("stranger.onnx", require_native=True))
print("RuntimeError: stranger.onnx: require_native, but of 4 nodes " in why, why)
print(".so compute 3, and no acme::relu; import the package of acme::relu before" in why)
print(my_add.session("stranger.onnx", require_native=True).served == {"my_add": both["my_add"]})

# Two of three nodes of one operator are native: a type that the kernel lacks.
onnxop_runtime.export(model, args, "plain.onnx", domain="", **options)
why = error_of(lambda: onnxop_runtime.session("plain.onnx", require_native=True))
print("the model has no node of a domain; call export(..., domain=" in why, why)
why = error_of(lambda: onnxop_runtime.session(b"", require_native=True))
print("TypeError: session takes the path of a model, not bytes" in why, why)
print(onnxop_runtime.session("plain.onnx").served == {})

# The message of a package's export names the key and the function that takes it.
for name in ("torchvision::deform_conv2d", operator):
    why = error_of(lambda: my_add.export(model, args, "m.onnx", domain={name: "d"}))
    print(
        f"domain names '{name}'" in why and f"'{operator}' is an operator of deform_conv2d" in why
    )
    print("call onnxop_runtime.export, whose domain takes the operators of all" in why, why)
why = error_of(lambda: my_add.export(model, args, "m.onnx", domain={"my_ops::my_add": "d"}))
print("did you mean 'my_lib::my_add'?" in why, why)
