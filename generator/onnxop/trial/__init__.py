"""A model, or one call of an operator, through an exporter, the checker and ONNX Runtime."""
