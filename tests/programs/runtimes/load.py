# Run by test_what_ship_says_of_a_release of test_runtimes.py.
import json
import os
import re
import sys
from pathlib import Path

import onnxruntime


def loads(code):
    try:
        exec(code, {})
    except Exception:
        return False
    return True


loading = {}
for folder in Path(sys.argv[1]).iterdir():
    os.chdir(folder)
    (code,) = re.findall("```python\n(.*?)```", Path("README.md").read_text(), re.DOTALL)
    code = code.replace("print(", "str(")
    bare = "\n".join(line for line in code.splitlines() if "register" not in line)
    loading[folder.name] = [loads(code), loads(bare)]
print(json.dumps([onnxruntime.__version__, loading]))
