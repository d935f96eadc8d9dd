"""Loads the compiled kernels, which registers the package's operators with PyTorch."""

from . import _onnxop

kernel = _onnxop.native.load(
    operators=[
        "my_lib::my_add",
    ],
)
