"""Build the kernels of asinh."""

from onnxop_runtime.build import extension
from setuptools import setup

setup(**extension("asinh", api=1))
