"""Kernels for CUDA, compiled by g++: blocks and threads are loops, so that values are tested where
no GPU is.
"""
