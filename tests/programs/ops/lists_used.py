# Run by test_lists_of_tensors of test_ops.py.
import many_ops
import torch

x, y = torch.rand(3), torch.rand(5)
for call in (many_ops.pad_stack, many_ops.PadStackFunction.apply):
    for argument in (x, None, [x, None]):
        try:
            call(argument, 0.0)
        except (RuntimeError, TypeError) as error:
            print("for argument 'rows'" in str(error) or str(error))
print(
    many_ops.pad_stack((x, y)).shape == (2, 5),
    torch.jit.script(many_ops.PadStack())([x]).shape == (1, 3),
)
slopes = torch.func.grad(lambda rows: (2 * many_ops.pad_stack(rows)).sum())([x, y])
print([slope.tolist() for slope in slopes] == [[2.0] * 3, [2.0] * 5])
x.requires_grad_()
for call in (many_ops.pad_stack, many_ops.PadStackFunction.apply, torch.ops.my_lib.pad_stack):
    (3 * call([x, y], 0.0)).sum().backward()
print(x.grad.tolist() == [9.0] * 3, y.grad is None)
