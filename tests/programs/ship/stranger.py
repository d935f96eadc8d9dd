# Run by test_what_cannot_be_shipped of test_ship.py.
import onnx

imports = '<ir_version: 8, opset_import: ["" : 18, "acme" : 1]>'
text = f"{imports} g (float[2] x) => (float[2] y) {{ y = acme.Twice(x) }}"
onnx.save(onnx.parser.parse_model(text), "m.onnx")
