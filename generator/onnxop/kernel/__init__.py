"""The kernel: an expression for one element, C++ by hand, or composed of PyTorch's operators."""
