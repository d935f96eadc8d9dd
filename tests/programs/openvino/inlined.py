# Run by test_in_openvino of test_openvino.py.
import many_ops
import my_add
import onnx
import torch
from tests.programs.native.both import model_of

x = torch.rand(2, 3)
report = many_ops.verify(
    model_of(lambda x: (many_ops.swish(x), many_ops.quick_gelu(x))), (x,), domain="my_ops"
)
print(
    "(functions inlined: my_ops::quick_gelu)" in str(report)
    and report.inlined == ("my_ops::quick_gelu",),
    report,
)
large = torch.full((2,), 2**40), torch.ones(2, dtype=torch.int64)
report = my_add.verify(my_add.MyAdd().eval(), large, domain="my_lib")
print(
    "OpenVINO" not in report.errors and "computes int64 in int32" in report.missing["OpenVINO"],
    report,
)

# So is a node of an earlier version than the kernel's, and no library goes along for it.
from pathlib import Path

from onnxop.package.ship import ship

earlier = """<ir_version: 8, opset_import: ["" : 18, "my_lib" : 1]>
g (float[n] x) => (float[n] y) { y = my_lib.keep_above (x) }
<domain: "my_lib", opset_import: ["" : 18]> keep_above (x) => (y) { y = Neg (x) }"""
onnx.save(onnx.parser.parse_model(earlier), "earlier.onnx")
report = many_ops.verify("earlier.onnx", (x[0],))
print(
    report.native == 0
    and report.inlined == ("my_lib::keep_above",)
    and "OpenVINO" in report.errors,
    report,
)
shipped, text = ship(Path("earlier.onnx"), Path("deploy")), Path("deploy/README.md").read_text()
print(
    shipped.files == ["earlier.onnx", "README.md"] and not shipped.native and "librar" not in text,
    shipped,
    text,
)
