"""gallery::ctc_loss: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """gallery::ctc_loss itself, without its registration."""
    return torch.ops.aten.ctc_loss.IntList(log_probs, targets.contiguous(), input_lengths, target_lengths, blank, reduction, zero_infinity)  # fmt: skip


def _fake(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    return log_probs.new_empty([log_probs.shape[1]] if reduction == 0 and log_probs.dim() == 3 else [])  # fmt: skip


def rule(
    op: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any,
    reduction: Any,
    zero_infinity: Any,
) -> Any:
    """gallery::ctc_loss in ONNX; `op` writes the nodes for the exporter that asks."""
    constant_2 = op.Constant(value_ints=input_lengths)
    inputs = op.Unsqueeze(constant_2, op.constant([1], like="INT64"))
    constant_3 = op.Constant(value_ints=target_lengths)
    lengths = op.Unsqueeze(constant_3, op.constant([1], like="INT64"))
    if op.rank(log_probs) == 3:
        probs = op.Identity(log_probs)
    else:
        probs = op.Unsqueeze(log_probs, op.constant([1], like="INT64"))
    if op.rank(targets) == 1:
        first = op.CumSum(lengths, op.constant(0, like="INT64"), exclusive=1)
        cast = op.Cast(targets, to=7)
        labels = op.Concat(
            cast,
            op.constant([0] * max(list(target_lengths) + [0]), like="INT64"),
            axis=0,
        )
        constant_4 = op.Constant(value_ints=list(range(max(list(target_lengths) + [0]))))
        add = op.Add(first, constant_4)
        labels_4 = op.Gather(labels, add)
    else:
        cast_2 = op.Cast(targets, to=7)
        labels_4 = op.Slice(
            cast_2,
            op.constant([0], like="INT64"),
            op.constant([max(list(target_lengths) + [0])], like="INT64"),
            op.constant([1], like="INT64"),
        )
    constant_5 = op.Constant(value_ints=list(range(max(list(target_lengths) + [0]))))
    less = op.Less(constant_5, lengths)
    labels_5 = op.Where(less, labels_4, op.constant(blank, like="INT64"))
    mul = op.Mul(labels_5, op.constant(0, like="INT64"))
    add_2 = op.Add(mul, op.constant(blank, like="INT64"))
    unsqueeze_2 = op.Unsqueeze(add_2, op.constant([2], like="INT64"))
    unsqueeze_3 = op.Unsqueeze(labels_5, op.constant([2], like="INT64"))
    pairs = op.Concat(unsqueeze_2, unsqueeze_3, axis=2)
    pairs_2 = op.Reshape(
        pairs,
        op.constant([len(input_lengths), 2 * max(list(target_lengths) + [0])], like="INT64"),
        allowzero=1,
    )
    blanks = op.Constant(value_ints=[blank])
    expand = op.Expand(blanks, op.constant([len(input_lengths), 1], like="INT64"))
    labels_6 = op.Concat(pairs_2, expand, axis=1)
    expand_2 = op.Expand(blanks, op.constant([len(input_lengths), 2], like="INT64"))
    concat = op.Concat(expand_2, labels_6, axis=1)
    earlier = op.Slice(
        concat,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([1], like="INT64"),
    )
    equal = op.Equal(labels_6, op.constant(blank, like="INT64"))
    equal_2 = op.Equal(labels_6, earlier)
    is_held = op.Or(equal, equal_2)
    shape = op.Shape(probs)
    slice = op.Slice(shape, op.constant([0], like="INT64"), op.constant([1], like="INT64"))
    concat_2 = op.Concat(slice, op.constant([1, 1], like="INT64"), axis=0)
    expand_3 = op.Expand(labels_6, concat_2)
    chosen = op.GatherElements(probs, expand_3, axis=2)
    constant_6 = op.Constant(value_float=-float("inf"))
    never = op.CastLike(constant_6, log_probs)
    shape_2 = op.Shape(chosen)
    steps = op.Gather(shape_2, op.constant(0, like="INT64"))
    shape_3 = op.Shape(chosen)
    gather = op.Gather(shape_3, op.constant(2, like="INT64"))
    range_2 = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
    is_first = op.Less(range_2, op.constant(2, like="INT64"))
    gather_2 = op.Gather(chosen, op.constant(0, like="INT64"), axis=0)
    ways = op.Where(is_first, gather_2, never)
    shape_4 = op.Shape(chosen)
    slice_2 = op.Slice(shape_4, op.constant([1], like="INT64"), op.constant([2], like="INT64"))
    concat_3 = op.Concat(slice_2, op.constant([2], like="INT64"), axis=0)
    before = op.Expand(never, concat_3)
    sub = op.Sub(steps, op.constant(1, like="INT64"))

    def step(t: Any, keep: Any, ways_2: Any) -> Any:
        row = op.Concat(before, ways_2, axis=1)
        left = op.Slice(
            row,
            op.constant([1], like="INT64"),
            op.constant([-1], like="INT64"),
            op.constant([1], like="INT64"),
        )
        slice_3 = op.Slice(
            row,
            op.constant([0], like="INT64"),
            op.constant([-2], like="INT64"),
            op.constant([1], like="INT64"),
        )
        skipped = op.Where(is_held, never, slice_3)
        largest = op.Max(ways_2, left, skipped)
        equal_3 = op.Equal(largest, never)
        shift = op.Where(equal_3, op.constant(0, like=log_probs), largest)
        sub_2 = op.Sub(ways_2, shift)
        exp = op.Exp(sub_2)
        sub_3 = op.Sub(left, shift)
        exp_2 = op.Exp(sub_3)
        add_3 = op.Add(exp, exp_2)
        sub_4 = op.Sub(skipped, shift)
        exp_3 = op.Exp(sub_4)
        total = op.Add(add_3, exp_3)
        log = op.Log(total)
        add_4 = op.Add(log, shift)
        add_5 = op.Add(t, op.constant(1, like="INT64"))
        gather_3 = op.Gather(chosen, add_5, axis=0)
        following = op.Add(add_4, gather_3)
        add_6 = op.Add(t, op.constant(1, like="INT64"))
        greater = op.Greater(inputs, add_6)
        where = op.Where(greater, following, ways_2)
        keep_2 = op.Identity(keep)
        return keep_2, where

    ways_3 = op.Loop(sub, op.constant(True, like="BOOL"), ways, body=step)
    mul_2 = op.Mul(lengths, op.constant(2, like="INT64"))
    sub_5 = op.Sub(mul_2, op.constant(1, like="INT64"))
    max_2 = op.Max(sub_5, op.constant(0, like="INT64"))
    label = op.GatherElements(ways_3, max_2, axis=1)
    equal_4 = op.Equal(lengths, op.constant(0, like="INT64"))
    label_2 = op.Where(equal_4, never, label)
    mul_3 = op.Mul(lengths, op.constant(2, like="INT64"))
    largest_2 = op.GatherElements(ways_3, mul_3, axis=1)
    both = op.Concat(label_2, largest_2, axis=1)
    largest_3 = op.Max(label_2, largest_2)
    equal_5 = op.Equal(largest_3, never)
    shift_2 = op.Where(equal_5, op.constant(0, like=log_probs), largest_3)
    sub_6 = op.Sub(both, shift_2)
    exp_4 = op.Exp(sub_6)
    reduce_sum = op.ReduceSum(exp_4, op.constant([1], like="INT64"), keepdims=1)
    log_2 = op.Log(reduce_sum)
    add_7 = op.Add(log_2, shift_2)
    loss = op.Neg(add_7)
    equal_6 = op.Equal(inputs, op.constant(0, like="INT64"))
    equal_7 = op.Equal(lengths, op.constant(0, like="INT64"))
    neg = op.Neg(never)
    where_2 = op.Where(equal_7, op.constant(0, like=log_probs), neg)
    loss_2 = op.Where(equal_6, where_2, loss)
    if zero_infinity:
        is_inf = op.IsInf(loss_2)
        loss_4 = op.Where(is_inf, op.constant(0, like=log_probs), loss_2)
    else:
        loss_4 = loss_2
    if reduction == 1:
        max_3 = op.Max(lengths, op.constant(1, like="INT64"))
        cast_like = op.CastLike(max_3, loss_4)
        div = op.Div(loss_4, cast_like)
        result_5 = op.ReduceMean(div, keepdims=0)
    else:
        if reduction == 2:
            result_4 = op.ReduceSum(loss_4, keepdims=0)
        else:
            if op.rank(log_probs) == 3:
                result_3 = op.Squeeze(loss_4, op.constant([1], like="INT64"))
            else:
                result_3 = op.Squeeze(loss_4, op.constant([0, 1], like="INT64"))
            result_4 = result_3
        result_5 = result_4
    return result_5


OP = _onnxop.Operator(
    name="gallery::ctc_loss.default",
    existing="aten::ctc_loss.IntList",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="ctc_loss",
    doc="The connectionist temporal classification loss. To train, call PyTorch's own.",
    spec="sha256:6614720936951ac430ce940de49b5395af67f8c899e5715921da801ea3c23148",
    differentiable=[
        "targets",
    ],
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor",
    module=__file__,
    backward="(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank, int reduction, bool zero_infinity, bool[] wants) -> Tensor",
)
_onnxop.rules.register(OP)


class CtcLossFunction(_onnxop.autograd.Function):
    """`ctc_loss` with its gradients, and its symbolic for the TorchScript exporter.

    `ctc_loss` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _onnxop.autograd.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = _onnxop.autograd.computed(OP, ctx, [grad])
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return _onnxop.rules.symbolic(OP)(g, *arguments)


_operator = _onnxop.autograd.register(OP, CtcLossFunction)


@_onnxop.script.scripted(OP)
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Sequence[int],
    target_lengths: Sequence[int],
    blank: int = 0,
    reduction: int = 1,
    zero_infinity: bool = False,
) -> Tensor:
    """The connectionist temporal classification loss. To train, call PyTorch's own.

    Args:
        log_probs: a tensor.
        targets: a tensor.
        input_lengths: integers.
        target_lengths: integers.
        blank: an integer; 0 by default.
        reduction: an integer; 1 by default.
        zero_infinity: a boolean; False by default.

    Returns:
        A contiguous tensor.
    """
    result: Tensor = _operator(
        log_probs,
        targets,
        input_lengths,
        target_lengths,
        blank,
        reduction,
        zero_infinity,
    )
    return result


class CtcLoss(torch.nn.Module):
    """`ctc_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        input_lengths: Sequence[int],
        target_lengths: Sequence[int],
        blank: int = 0,
        reduction: int = 1,
        zero_infinity: bool = False,
    ) -> None:
        super().__init__()
        self.input_lengths = input_lengths
        self.target_lengths = target_lengths
        self.blank = blank
        self.reduction = reduction
        self.zero_infinity = zero_infinity

    def forward(
        self,
        log_probs: Tensor,
        targets: Tensor,
    ) -> Tensor:
        return ctc_loss(
            log_probs,
            targets,
            self.input_lengths,
            self.target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"input_lengths={self.input_lengths}",
                f"target_lengths={self.target_lengths}",
                f"blank={self.blank}",
                f"reduction={self.reduction}",
                f"zero_infinity={self.zero_infinity}",
            ]
        )
