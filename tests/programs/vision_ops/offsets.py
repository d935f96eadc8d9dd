# Run by test_offsets_of_the_border_start_as_in_torchvision of test_vision_ops.py.
import deform_conv2d
import torch
import torchvision

x, weight = torch.rand(1, 2, 4, 5), torch.rand(3, 2, 3, 3)


def gradient(function, start, **options):
    offset = torch.full((1, 18, 4, 5), start, requires_grad=True)
    result = function(x, offset, weight, padding=1, **options)
    return torch.autograd.grad(result.sum(), offset)[0]


def by_kernel(x, offset, weight, padding):
    mask, bias = torch.zeros(1, 1), torch.zeros(3)
    numbers = 1, 1, padding, padding, 1, 1, 1, 1, False
    return deform_conv2d.deform_conv2d(x, weight, offset, mask, bias, *numbers)


# With offsets of 0, the first row of the first tap's samples lies at row -1.
started = gradient(by_kernel, 0.0)
torch.testing.assert_close(started, gradient(torchvision.ops.deform_conv2d, 0.0))
assert (started[0, 0, 0, 1:] > 0).all(), "the gradient is mmcv's"
# It is the limit from the image's side.
torch.testing.assert_close(started[0, 0, 0], gradient(by_kernel, 1e-5)[0, 0, 0], rtol=0, atol=1e-3)
print("done")
