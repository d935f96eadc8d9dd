"""Checks of CUDA kernels on a GPU: ``poe gpu``, or ``python -m tests.gpu``.

They need a copy of the repository, PyTorch, nvcc and g++; no network, and no package of onnxop.
"""
