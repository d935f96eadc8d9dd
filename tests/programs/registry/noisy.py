# Run by test_registry of test_registry.py.
import sys

import torch

print("noise")
print("more of it", file=sys.stderr)
library = torch.library.Library("noisy", "DEF")
library.define("scale(Tensor x, float[2] by=1.5, *, ScalarType? dtype=None) -> Tensor")
library.define("view(Tensor(a) x) -> Tensor(a)")
library.define("add_(Tensor(a!) x, Tensor y) -> Tensor(a!)")
library.define("late(Tensor x, *, Tensor y, SymInt n, str mode='mean') -> Tensor")
