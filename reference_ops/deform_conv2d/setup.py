"""Build the kernels of deform_conv2d."""

from onnxop_runtime.build import extension
from setuptools import setup

# api: the version of onnxop_runtime's interface that this package was made for.
setup(**extension("deform_conv2d", api=1))
