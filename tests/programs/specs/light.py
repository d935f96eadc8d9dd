# Run by test_it_imports_nothing_of_the_generator of test_register.py.
import sys

import torch  # noqa: F401 - not counted below

before = {*sys.modules}
import onnxop_runtime

onnxop_runtime.register(sys.argv[1])
import onnxop_runtime.gallery

new = {name.partition(".")[0] for name in {*sys.modules} - before}
print(
    sorted(new & {"onnxop", "pydantic", "copier", "torchvision", "onnxruntime", "sympy", "pytest"})
)
