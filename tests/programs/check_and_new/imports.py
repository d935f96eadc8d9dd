# Run by test_keys_and_types_come_first of test_check_and_new.py, and by tests of test_bad_specs.py.
import sys

from onnxop import cli

status = cli.main(sys.argv[1:])
print(status, sorted({"torch", "onnx", "copier"} & {*sys.modules}))
