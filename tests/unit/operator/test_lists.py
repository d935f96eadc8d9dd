"""Lists of tensors among arguments, flattened and nested again."""

from __future__ import annotations

import torch

from onnxop_runtime.operator import lists

A, B = torch.zeros(1), torch.ones(2)


def test_flat_and_nested() -> None:
    lengths = [2, None, 0]
    leaves = lists.flat([[A, B], 3, []], lengths)
    assert [*map(id, leaves)] == [id(A), id(B), id(leaves[2])]
    assert lists.nested([1, 2, 3], lengths) == [[1, 2], 3, []]


def test_a_single_value_for_a_list_is_repeated() -> None:
    assert lists.flat([None, 3], [2, None]) == [None, None, 3]


def test_arguments_without_lists_stay() -> None:
    assert lists.flat([[1, 2], 3], ()) == [[1, 2], 3]
    assert lists.nested([[1, 2], 3], ()) == [[1, 2], 3]


def test_results_and_items() -> None:
    assert lists.as_list(A)[0] is A
    assert len(lists.as_list((A, B))) == 2
    assert lists.items_of([1, [2, 3], (4,)]) == [1, 2, 3, 4]
    assert len(lists.tensors_in([A, 1, [B, None], "x"])) == 2
    assert lists.has_tensors([None, A])
    assert not lists.has_tensors(A)
    assert not lists.has_tensors([1, 2])


def test_what_is_saved_for_the_backward_pass() -> None:
    class Context:
        saved_tensors: tuple[torch.Tensor, ...] = ()

        def save_for_backward(self, *tensors: torch.Tensor) -> None:
            self.saved_tensors = tensors

    context = Context()
    lists.save(context, [[A, B], 2.0, None, A])
    assert len(context.saved_tensors) == 3
    tensors, number, nothing, last = lists.saved(context)
    assert [tensor is same for tensor, same in zip(tensors, (A, B), strict=True)] == [True, True]
    assert (number, nothing) == (2.0, None)
    assert last is A
