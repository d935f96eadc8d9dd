# Run by test_a_process_with_threads_is_not_forked of test_processes.py.
import os
import sys

from onnxop_runtime import processes

answers = processes.reserve_stdout()
print("not an answer")
for line in sys.stdin:
    if line.startswith("say "):
        print(line[4:].strip(), file=sys.stderr, flush=True)
        continue
    if line.startswith("exit"):
        os._exit(3)
    if line.startswith("sleep"):
        import time

        time.sleep(60)
    print(line.upper(), end="", file=answers, flush=True)
