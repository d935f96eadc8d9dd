"""Build the kernels of my_add."""

from onnxop_runtime.build import extension
from setuptools import setup

# api: the version of onnxop_runtime's interface that this package was made for.
setup(**extension("my_add", api=1))
