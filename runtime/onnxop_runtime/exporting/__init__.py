"""Models to ONNX: both exporters, the rules, function bodies."""
