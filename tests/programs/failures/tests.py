# Run by test_each_cause_is_told_once of test_failures.py.
import logging

from onnxop_runtime import testing
from onnxop_runtime.testing.base import only_for


class Operator:
    overloads, tensors, arguments = (), (), ()

    def __str__(self):
        return "my_lib::wrong"


class TestWrong(testing.OperatorTests):
    operator = Operator()
    function = staticmethod(lambda a: a)
    samples = [testing.Sample(a=testing.random("float32", size)) for size in range(1, 6)]

    def test_values(self, sample):
        logging.getLogger("torch").debug("a line of %s", "torch's")
        logging.getLogger("mine").warning("a warning")
        assert sample.arguments()["a"].numel() == 0

    def test_sizes(self, sample):
        raise ValueError("of a size")

    @only_for(lambda tests: False)
    def test_of_another_kind(self):
        raise AssertionError

    def test_first_calls(self, first_calls):
        pass
