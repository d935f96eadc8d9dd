# Run by test_what_cannot_be_shipped of test_ship.py.
import onnx

text = """<ir_version: 8, opset_import: ["" : 18, "my_lib" : 1]>
g (float[2] a) => (float[2] y) { y = my_lib.my_add <scale: float = 3.0> (a, a) }"""
onnx.save(onnx.parser.parse_model(text), "m.onnx")
