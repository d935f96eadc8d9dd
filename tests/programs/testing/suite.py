# Run by test_a_wrong_kernel_fails_tests_that_name_it of test_suite.py, by pytest.
from tests.unit.operator.samples import SCALED, ScaledFunction, scaled

from onnxop_runtime import testing


class TestRight(testing.ComposedTests):
    operator = SCALED
    function = staticmethod(scaled)
    autograd_function = ScaledFunction
    differentiable = ["x"]
    twice_differentiable = ["x"]
    samples = [
        testing.Sample(
            x=testing.random("float32", 2, 3, larger=(4, 5)),
            weight=testing.random("float32", 2, 3, larger=(4, 5)),
            alpha=testing.fixed(0.5),
        )
    ]


class TestWrong(TestRight):
    function = staticmethod(lambda x, weight, alpha=1.0: scaled(x, weight, alpha) + 1)
