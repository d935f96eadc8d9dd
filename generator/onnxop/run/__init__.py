"""A command of Python, run with rules: which exports used which, and whether the files' values are
PyTorch's.
"""
