# Run by test_an_older_one_is_refused of test_runtimes.py.
import json
import sys
from pathlib import Path

import onnxruntime

for case in json.loads(Path(sys.argv[1], "cases.json").read_text()):
    try:
        onnxruntime.SessionOptions().register_custom_ops_library(case["library"])
    except Exception as error:
        print(error)
