"""onnxop: from an op spec in TOML to a Python package with a PyTorch op and its ONNX form."""

__version__ = "0.4.0.dev0"
