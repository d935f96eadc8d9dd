# Run by test_a_kernel_that_is_written_beside_its_spec of test_scan_functions.py.
import sys
from pathlib import Path

sys.path.insert(0, "")
from onnxop.scan.specs import make

specs = Path("specs")
print(*make([specs], specs / "their_ops", "their_ops").kept)
