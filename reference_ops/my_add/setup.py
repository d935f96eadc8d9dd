"""Build the kernels of my_add."""

from onnxop_runtime.build import extension
from setuptools import setup

setup(**extension("my_add", api=1))
