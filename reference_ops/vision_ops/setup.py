"""Build the kernels of vision_ops."""

from onnxop_runtime.build import extension
from setuptools import setup

setup(**extension("vision_ops", api=1))
