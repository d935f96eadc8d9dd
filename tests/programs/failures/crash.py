# Run by test_a_crash_is_a_failure_of_its_operator of test_failures.py.
import ctypes

from onnxop_runtime import testing


class Operator:
    overloads, tensors, arguments, is_native = (), (), (), True

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


def crash(a):
    if a.numel() == 3:
        ctypes.string_at(0)


class TestCrashes(testing.OperatorTests):
    operator = Operator("my_lib::crashes")
    function = staticmethod(crash)
    samples = [testing.Sample(a=testing.random("float32", size)) for size in (2, 3, 4)]

    def test_first_calls(self, first_calls):
        if first_calls:
            import pytest

            pytest.fail(first_calls, pytrace=False)

    def test_values(self, sample):
        self.function(**sample.arguments())


class TestFine(TestCrashes):
    operator = Operator("my_lib::fine")
    function = staticmethod(abs)
    samples = [testing.Sample(a=testing.random("float32", 3))]

    def test_values(self, sample):
        pass
