"""The mapping in onnxscript's notation → a graph, held against ONNX's definitions."""
