"""The reader of specs: TOML → a document with valid keys and types, and problems with their places.

`onnxop` checks specs by it, and `onnxop_runtime.register` registers them. It imports neither torch
nor onnx.
"""
