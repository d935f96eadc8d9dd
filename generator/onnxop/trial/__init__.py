"""Try a model, or one call of an operator, in an exporter, the checker and ONNX Runtime."""
