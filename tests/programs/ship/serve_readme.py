# Run by test_the_command of test_ship.py.
import ctypes
import re
import sys
from pathlib import Path

(code,) = re.findall("```python\n(.*?)```", Path("README.md").read_text(), re.DOTALL)
names = {}
exec(code, names)
session = names["session"]
import numpy

(port,) = session.get_inputs()
(actual,) = session.run(None, {port.name: numpy.ones([1, 3, 8, 8], numpy.float32)})
served = [
    ctypes.CDLL(f"./{path}").onnxop_served for path in sorted(Path().glob("*_onnxruntime.so"))
]
for function in served:
    function.restype = ctypes.c_char_p
nodes_served = [function(None).decode() for function in served]
nodes = ['{"deform_conv2d::deform_conv2d": {"cpu": 1}}', '{"other::my_add": {"cpu": 1}}']
print(actual.shape == (1, 3, 6, 6) and nodes_served == nodes and "torch" not in sys.modules)
