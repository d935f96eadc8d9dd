# Run by test_options_that_are_gone_leave_nothing of test_native.py.
import ctypes

import my_add
import onnxruntime


class Info(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


mallinfo = ctypes.CDLL(None).mallinfo2
mallinfo.restype = Info
path = my_add.library_path()


def register(times):
    for _ in range(times):
        onnxruntime.SessionOptions().register_custom_ops_library(path)


register(50)
before = mallinfo().uordblks
register(2000)
print((mallinfo().uordblks - before) / 2000)
