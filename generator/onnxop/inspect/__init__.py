"""A name → its entries in PyTorch, ONNX and the gallery."""
