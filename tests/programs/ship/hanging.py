# Run by test_a_run_that_was_killed of test_ship.py.
# ruff: noqa: F401
import sys
import time

from onnxop import cli
from onnxop.package.shipped import sessions

sessions.load = lambda *_: (print("loading", flush=True), time.sleep(60))
cli.main(["ship", "m.onnx", "first"])
