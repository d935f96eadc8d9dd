"""What the reference says of a call, and which results agree with it."""

from __future__ import annotations

import torch

from onnxop_runtime.testing.arguments import Arguments
from onnxop_runtime.testing.draws.calls.call import DrawnCall
from onnxop_runtime.testing.draws.choices.pointwise import is_pointwise
from onnxop_runtime.testing.draws.judging.expected import Rule
from onnxop_runtime.testing.draws.judging.oracle import expect
from onnxop_runtime.testing.samples import Sample, random
from tests.unit.testing.draws.drawn_operators import class_of

X = torch.tensor([[0.25, 0.5, 2.0, -1.0]])


def gradient_of_limited(arguments: Arguments) -> torch.Tensor:
    """Return the gradient of limited numbers and of their highest one, of which equal numbers have
    a part each.
    """
    leaf = arguments["x"].detach().requires_grad_()
    limited = leaf.clamp(max=0.5)
    (gradient,) = torch.autograd.grad(limited.sum() + 8 * limited.amax(), [leaf])
    return gradient


def test_a_gradient_at_a_bound_may_be_of_either_side() -> None:
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = X.to(dtype)
        expected = expect(gradient_of_limited, {"x": x}, kinks=True)
        for at_bound in (0.0, 1.0, 5.0):
            result = torch.tensor([[1.0, at_bound, 0.0, 1.0]], dtype=dtype)
            assert expected.difference([result], Rule()) == "", (dtype, at_bound)
        elsewhere = torch.tensor([[1.5, 1.0, 0.0, 1.0]], dtype=dtype)
        assert "the result is 1.5 at [0, 0]" in expected.difference([elsewhere], Rule())


def halved(arguments: Arguments) -> torch.Tensor:
    result: torch.Tensor = arguments["x"] / 2
    return result


def halved_integers(arguments: Arguments) -> torch.Tensor:
    result: torch.Tensor = arguments["x"] // 2
    return result


def test_a_difference_is_told_with_the_error_that_is_allowed() -> None:
    expected = expect(halved, {"x": X})
    wrong = torch.tensor([[0.125, 0.5, 1.0, -0.5]])
    fact = expected.difference([wrong], Rule())
    start = "the result is 0.5 at [0, 1], but the reference gives 0.25; errors up to "
    assert fact.startswith(start)
    assert 1e-6 < float(fact.removeprefix(start).split()[0]) < 1e-4
    integers = expect(halved_integers, {"x": torch.tensor([2, 4])})
    fact = integers.difference([torch.tensor([1, 3])], Rule())
    assert fact == "the result is 3 at [1], but the reference gives 2"


def gradient_of_highest(arguments: Arguments) -> torch.Tensor:
    """Return the gradient of rows' highest numbers; of a row with NaN it is zero divided by
    zero.
    """
    leaf = arguments["x"].detach().requires_grad_()
    (gradient,) = torch.autograd.grad(leaf.amax(-1).sum(), [leaf])
    return gradient


def gradient_of_squares(arguments: Arguments) -> torch.Tensor:
    """Return the gradient of squares."""
    gradient: torch.Tensor = 2 * arguments["x"]
    return gradient


def test_a_gradient_that_only_compares_with_nan_is_not_compared() -> None:
    drawn = DrawnCall(Sample(x=random("float32", 3, 4)), values="NaN")
    x = drawn.arguments()["x"]
    pairs = [(a.arguments(), b.arguments()) for a, b in drawn.finite(is_near=True)]
    highest = expect(gradient_of_highest, {"x": x}, pairs, kinks=True)
    assert highest.computed[0].isnan().any()
    without_nan = highest.computed[0].nan_to_num(0.0)
    assert highest.difference([without_nan], Rule(only=("finite", "NaN"))) == ""
    squares = expect(gradient_of_squares, {"x": x}, pairs, kinks=True)
    without_nan = squares.computed[0].nan_to_num(0.0)
    fact = squares.difference([without_nan], Rule(only=("finite", "NaN")), ["the gradient of x"])
    assert fact.startswith("the gradient of x is 0.0 at ")


def test_a_running_sum_is_not_pointwise() -> None:
    sample = Sample(x=random("float32", 3, 4))
    assert is_pointwise(class_of(lambda x: x * 2, sample))
    assert not is_pointwise(class_of(lambda x: x.cumsum(-1), sample))
    assert not is_pointwise(class_of(lambda x: x.flip(-1).cumsum(-1).flip(-1), sample))


def above(arguments: Arguments) -> torch.Tensor:
    """Return numbers above a level, and others halved."""
    x = arguments["x"]
    return torch.where(x > 0.5, x, x / 2)


def test_a_result_at_a_bound_is_of_the_bound_if_numbers_are_equal_to_it() -> None:
    x = torch.tensor([0.5, 2.0, -1.0])
    wrong = torch.where(x >= 0.5, x, x / 2)
    by_rounding = expect(above, {"x": x})
    assert by_rounding.difference([wrong], Rule(pointwise=True)) == ""
    at_bounds = expect(above, {"x": x}, at_bounds=True)
    assert at_bounds.difference([above({"x": x})], Rule(pointwise=True)) == ""
    assert "0.5 at [0]" in at_bounds.difference([wrong], Rule(pointwise=True))


def test_a_steep_result_at_a_bound_may_be_off_by_rounding() -> None:
    def steep(arguments: Arguments) -> torch.Tensor:
        x: torch.Tensor = arguments["x"]
        return 2.0**24 * (x - 0.5)

    x = torch.tensor([0.5, 1.0])
    expected = expect(steep, {"x": x}, at_bounds=True)
    assert expected.difference([steep({"x": x}) + 0.5], Rule(pointwise=True)) == ""


def test_which_of_two_integers_counts_at_a_bound() -> None:
    def is_above(arguments: Arguments) -> torch.Tensor:
        x: torch.Tensor = arguments["x"]
        return x > 0.5

    x = torch.tensor([0.5, 1.0])
    assert expect(is_above, {"x": x}).difference([x >= 0.5], Rule()) == ""
    expected = expect(is_above, {"x": x}, at_bounds=True)
    assert "the result is True at [0]" in expected.difference([x >= 0.5], Rule())
    assert expected.difference([x > 0.5], Rule()) == ""


def test_numbers_that_nodes_have_in_float32_may_be_rounded() -> None:
    def scaled(arguments: Arguments) -> torch.Tensor:
        x: torch.Tensor = arguments["x"]
        scale: float = arguments["scale"]
        return (x - scale) * 1e6

    x = torch.tensor([0.1, 1.0], dtype=torch.float64)
    in_float32 = scaled({"x": x, "scale": float(torch.tensor(0.1))})
    expected = expect(scaled, {"x": x, "scale": 0.1})
    assert expected.difference([in_float32], Rule())
    rounded = {"scale": float(torch.tensor(0.1))}
    expected = expect(scaled, {"x": x, "scale": 0.1}, rounded=rounded)
    assert expected.difference([in_float32], Rule()) == ""


def test_a_pole_is_no_bound() -> None:
    def reciprocal(arguments: Arguments) -> torch.Tensor:
        x: torch.Tensor = arguments["x"]
        return 1 / (x * 0.5 - 0.25)

    x = torch.tensor([0.5, 1.0])
    expected = expect(reciprocal, {"x": x}, at_bounds=True)
    other = torch.tensor([-float("inf"), 4.0])
    assert expected.difference([other], Rule(pointwise=True)) == ""


def test_a_large_scalar_makes_rounding_as_large() -> None:
    def between(arguments: Arguments) -> torch.Tensor:
        x: torch.Tensor = arguments["x"]
        return x + 1024.0 * (x - x)

    x = torch.tensor([-2.1788, 0.3])
    rounded = between({"x": x}) + 1e-4
    assert expect(between, {"x": x}).difference([rounded], Rule(pointwise=True))
    expected = expect(between, {"x": x}, largest_scalar=1024.0)
    assert expected.difference([rounded], Rule(pointwise=True)) == ""
    assert expected.difference([rounded + 0.1], Rule(pointwise=True))


def test_a_tie_between_integers_that_is_rounded_to_the_other_one_is_wrong() -> None:
    def quantized(arguments: Arguments) -> torch.Tensor:
        x: torch.Tensor = arguments["x"]
        return (x / (x.abs().amax(-1, keepdim=True) / 127)).round().to(torch.int8)

    arguments = {"x": torch.tensor([[127.0, 0.5, -2.5, 1.5], [3.0, -127.0, 4.5, 2.0]])}
    expected = expect(quantized, arguments, at_bounds=True)
    assert expected.difference([quantized(arguments)], Rule()) == ""
    away = (arguments["x"].abs() + 0.5).floor().copysign(arguments["x"]).to(torch.int8)
    assert "3 of 8 elements differ" in expected.difference([away], Rule())


def logsumexp(arguments: Arguments) -> torch.Tensor:
    result: torch.Tensor = arguments["x"].logsumexp(-1)
    return result


def test_an_infinity_is_lost_where_the_reference_surely_has_it() -> None:
    infinite = -float("inf")
    x = torch.tensor([[infinite, infinite], [0.0, 1.0]])
    (expected,) = expect(logsumexp, {"x": x}).results
    lost = torch.tensor([float("nan"), 1.3132617])
    right = torch.tensor([infinite, 1.3132617])
    assert expected.loses_infinity(lost).tolist() == [True, False]
    assert expected.loses_infinity(right).tolist() == [False, False]
    finite = torch.tensor([infinite, infinite])
    assert expected.loses_infinity(finite).tolist() == [False, False]
