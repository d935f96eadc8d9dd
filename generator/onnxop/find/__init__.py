"""Look-up of operators and ops that exist: in PyTorch, its exporters, ONNX, ONNX Runtime and the
gallery.
"""
