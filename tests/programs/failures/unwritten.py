# Run by test_an_element_unwritten_is_a_failure of test_failures.py.
import torch

from onnxop_runtime import testing
from onnxop_runtime.testing.result_tests import KernelValueTests


class Operator:
    overloads, tensors, arguments, existing, has_reference = (), (), (), "", False
    is_native = elementwise = False
    kernel = overload = None

    def __str__(self):
        return "my_lib::unwritten"


def unwritten(a):
    result = torch.empty(len(a))
    result[1:] = a[1:]
    if result[0].isfinite():  # as memory is that happens to hold the same each time
        result[0] = 0
    return result


class TestUnwritten(KernelValueTests):
    operator = Operator()
    function = staticmethod(unwritten)
    samples = [testing.Sample(a=testing.random("float32", 5))]
