"""A name → its entries in PyTorch, the exporters, ONNX, ONNX Runtime and the gallery."""
