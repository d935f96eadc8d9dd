# Run by test_import_in_threads of test_operator_contract.py.
import threading

threads = [threading.Thread(target=__import__, args=["my_add"]) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
import my_add  # noqa: F401 - after the threads have imported it

print("done")
