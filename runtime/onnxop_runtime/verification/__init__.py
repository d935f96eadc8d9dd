"""Comparison of PyTorch with ONNX runtimes, and sessions with a package's library."""
