"""What every room speaks with: names, expressions as text, and what PyTorch and ONNX answered."""
