# Run by test_the_oldest_release of test_ship.py.
import onnx

text = """<ir_version: 8, opset_import: ["" : 19]>
g (float[1, 1, 2, 2] x, float[1, 1, 1, 1] w, float[1, 2, 2, 2] o) => (float[n, c, h, l] y) {
[bent] y = DeformConv (x, w, o) }"""
onnx.save(onnx.parser.parse_model(text), "m.onnx")
