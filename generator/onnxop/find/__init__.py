"""What there is already: of PyTorch, of its exporters, of ONNX, of ONNX Runtime and of the gallery."""
