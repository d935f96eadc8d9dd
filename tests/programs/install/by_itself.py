# Run by test_a_kernel_without_pytorch_says_so of test_install.py.
import importlib.util
import sys

spec = importlib.util.spec_from_file_location("_kernel", sys.argv[1])
try:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
except ImportError as error:
    print(error)
