"""Build the kernels of deform_conv2d."""

from onnxop_runtime.build import extension
from setuptools import setup

setup(**extension("deform_conv2d", api=1))
