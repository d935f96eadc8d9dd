"""Kernels: an expression for one element, hand-written C++, or PyTorch's operators composed."""
