"""Tensors that samples give by values: which of them tests draw, and how."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from onnxop_runtime.testing.draws.choices import literals
from onnxop_runtime.testing.draws.choices.literals import fixed_tensors, samples_to_draw
from onnxop_runtime.testing.samples import Sample, fixed, random, seeded, tensor


def class_with(reference: Any, sample: Sample) -> Any:
    """Return a class with what draws ask a test class for: the reference and a sample."""

    class Tests:
        samples = (sample,)
        operator = SimpleNamespace(
            has_reference=True,
            is_native=True,
            rule=None,
            tensors=[SimpleNamespace(name=name, is_list=False) for name in sample.draws],
        )

        @staticmethod
        def in_onnx(function: Any) -> Any:
            return function

    Tests.reference = staticmethod(reference)  # type: ignore[attr-defined]
    return Tests


def gathered(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x[index.long()]


X = tensor([[1.0, -2.0], [3.0, 4.0], [0.5, 9.0]])


@pytest.mark.parametrize("values", [[2, 0, 0], [2, 0], [2.0, 0.0, 0.0]])
def test_an_index_is_drawn_in_another_order(values: list[float]) -> None:
    tests = class_with(gathered, Sample(x=X, index=tensor(values)))
    assert fixed_tensors(tests) == []
    first, other = samples_to_draw(tests)
    assert (first.draws["x"].is_random, first.draws["index"].is_random) == (True, False)
    drawn = set()
    for seed in range(20):
        with seeded(seed):
            index = other.draws["index"].value((5,))
        assert {*index.tolist()} <= {0, 2}
        drawn.add(str(index))
    assert len(drawn) > 4


def test_a_dimension_with_results_of_its_own_is_longer_than_the_values() -> None:
    def bags(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return x[index].sum(1)

    _, other = samples_to_draw(class_with(bags, Sample(x=X, index=tensor([[2, 0, 1], [1, 2, 0]]))))
    draw = other.draws["index"]
    assert draw.value((5, 3)).shape == (5, 3)
    with pytest.raises(ValueError, match="not so many"):
        draw.value((2, 4))


def test_increasing_and_different_numbers_stay_so() -> None:
    def parts(x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return torch.stack([x[i:j].sum() for i, j in pairwise(offsets)])

    _, other = samples_to_draw(class_with(parts, Sample(x=X, offsets=tensor([0, 1, 3]))))
    draw = other.draws["offsets"]
    assert draw.value((3,)).tolist() == [0, 1, 3]
    assert draw.value((2,)).tolist() == [0, 3]
    with pytest.raises(ValueError, match="not so many"):
        draw.value((4,))


def test_two_tensors_of_integers_keep_their_values() -> None:
    def split(x: torch.Tensor, sizes: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
        return x[: int(sizes[0])] + starts[0] * 0

    sample = Sample(x=random("float32", 3), sizes=tensor([2, 1]), starts=tensor([0, 2]))
    tests = class_with(split, sample)
    assert samples_to_draw(tests) == (sample,)
    assert fixed_tensors(tests) == ["sizes", "starts"]


def test_a_number_of_steps_is_no_data() -> None:
    def repeated(x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        for _ in range(abs(int(steps[0]))):
            x = x + 1
        return x

    tests = class_with(repeated, Sample(x=random("float32", 3), steps=tensor([2.0])))
    assert fixed_tensors(tests) == ["steps"]


def test_a_tensor_that_is_never_given_is_not_fixed() -> None:
    def same(x: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
        return x if bias is None else x + bias

    tests = class_with(same, Sample(x=random("float32", 3), bias=fixed(None)))
    assert fixed_tensors(tests) == []


def turned(x: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
    return x.take((torch.arange(x.numel()) + starts[:, None]).remainder(x.numel()))


def taken(x: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
    return x.flatten()[starts]


@pytest.mark.parametrize(("reference", "is_index"), [(turned, False), (taken, True)])
def test_integers_that_the_mapping_takes_too(
    reference: Any, is_index: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that an index is counted from the end at most, and what is no index may be any
    integer.
    """
    sample = Sample(x=X, starts=tensor([3, 0, 2]))
    tests = class_with(reference, sample)
    without_mapping = {text for each in samples_to_draw(tests) for text in drawn_starts(each)}
    assert not any("-" in text for text in without_mapping)

    def by_mapping(_tests: Any, arguments: dict[str, Any]) -> list[torch.Tensor]:
        return [reference(**arguments)]

    monkeypatch.setattr(literals, "by_mapping", by_mapping)
    _, others, *_ = samples_to_draw(class_with(reference, sample))
    smallest = min(int(value) for text in drawn_starts(others) for value in text.split())
    assert smallest == -4 if is_index else smallest < -100


def drawn_starts(sample: Sample) -> list[str]:
    """Return what a sample draws as starts, each as text, from twenty seeds."""
    texts: list[str] = []
    for seed in range(20):
        with seeded(seed):
            values = sample.draws["starts"].value((3,))
        texts.append(" ".join(map(str, values.tolist())))
    return texts
