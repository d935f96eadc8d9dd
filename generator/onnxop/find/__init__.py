"""What there is already: of PyTorch, of its exporters, of ONNX and of ONNX Runtime; and in a model."""
