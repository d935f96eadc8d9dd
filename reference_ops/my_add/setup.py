"""Build the kernels with onnxop-runtime: ONNXOP_RUNTIME's, the build's, pip's target's, or the shell's."""

import os
import runpy
import sys
from subprocess import getoutput

from setuptools import setup

folder = os.getenv("ONNXOP_RUNTIME", "")
bins = [f"{sys.prefix}/bin", *os.get_exec_path(), os.getenv("PWD", "") + "/.venv/bin"]
for python in [f"'{sys.executable}'", *(f"'{path}/python3' -EP" for path in bins)]:
    folder = folder or getoutput(f"{python} -m onnxop_runtime --folder 2>/dev/null")
file = next(filter(os.path.exists, [f"{folder}/build.py", f"{folder}/onnxop_runtime/build.py"]), "")
if not file and (folder or sys.argv[1:] != ["egg_info"]):  # a front end asks what to fetch
    sys.exit(f"no onnxop-runtime in {folder or 'reach'}: install it, or set ONNXOP_RUNTIME=folder")
wanted = {"setup_requires": ["onnxop-runtime>=0.4.0.dev0,<0.5"]}
setup(**runpy.run_path(file)["extension"]("my_add", api=1) if file else wanted)
