"""Operators of PyTorch, of which `legal_specs` draws specs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Existing:
    """An operator of PyTorch: its mapping from an opset on, a torch expression, a sample."""

    schema: str
    opset: int
    mapping: str
    sample: str
    python: str = ""
    requires: str = ""


EXISTING = (
    Existing("aten::asinh", 9, "op.Asinh(self)", 'self = "float32[n=2, 3]"', "torch.asinh(self)"),
    Existing(
        "aten::topk",
        13,
        "op.TopK(self, [k], axis=dim, largest=largest, sorted=sorted)",
        'self = "float32[n=3, 8]"\nk = 3',
        "torch.topk(self, k, dim, largest, sorted)",
    ),
    Existing(
        "aten::max.dim",
        13,
        "values, indices = op.TopK(self, [1], axis=dim)\n"
        "return values if keepdim else op.Squeeze(values, [dim]), "
        "indices if keepdim else op.Squeeze(indices, [dim])",
        'self = "float32[n=3, 8]"\ndim = 1',
        "torch.max(self, dim, keepdim)",
    ),
    Existing(
        "aten::addcmul",
        9,
        "op.Add(self, op.Mul(op.Mul(tensor1, tensor2), value))",
        'self = "float32[n=2, 3]"\ntensor1 = "float32[n, 3]"\ntensor2 = "float32[n, 3]"\nvalue = 0.5',
        "torch.addcmul(self, tensor1, tensor2, value=value)",
    ),
    Existing(
        "aten::leaky_relu",
        9,
        "op.LeakyRelu(self, alpha=negative_slope)",
        'self = "float32[n=2, 3]"',
        "torch.nn.functional.leaky_relu(self, negative_slope)",
    ),
    Existing(
        "aten::gelu",
        20,
        "op.Gelu(self, approximate=approximate)",
        'self = "float32[n=2, 3]"',
        "torch.nn.functional.gelu(self, approximate=approximate)",
    ),
    Existing("aten::elu", 9, "op.Elu(self, alpha=alpha)", 'self = "float32[n=2, 3]"'),
    Existing(
        "aten::native_layer_norm",
        17,
        "op.LayerNormalization(input, weight, bias, axis=-1, epsilon=eps)",
        'input = "float32[n=2, 4]"\nnormalized_shape = [4]\nweight = "float32[4]"\nbias = "float32[4]"\neps = 1e-5',
    ),
    Existing(
        "aten::clamp",
        13,
        "y = op.Max(self, min) if min is not None else self\nreturn op.Min(y, max) if max is not None else op.Mul(y, 1.0)",
        'self = "float32[n=2, 3]"\nmin = -0.5',
        "torch.clamp(self, min, max)",
    ),
    Existing(
        "aten::clamp.Tensor",
        13,
        "y = op.Max(self, min) if min is not None else self\nreturn op.Min(y, max) if max is not None else op.Mul(y, 1.0)",
        'self = "float32[n=2, 3]"\nmax = "float32[n, 3]"',
        "torch.clamp(self, min, max)",
    ),
    Existing("aten::sort.stable", 13, "", 'self = "float32[n=2, 3]"\nstable = true'),
    Existing("aten::cummax", 13, "", 'self = "float32[n=2, 3]"\ndim = 1'),
    Existing("aten::mode", 13, "", 'self = "float32[n=2, 3]"'),
    Existing("aten::kthvalue", 13, "", 'self = "float32[n=2, 3]"\nk = 2'),
    Existing("aten::frexp.Tensor", 13, "", 'self = "float32[n=2, 3]"'),
    Existing("aten::aminmax", 13, "", 'self = "float32[n=2, 3]"\ndim = 1'),
    Existing("aten::nan_to_num", 13, "", 'self = "float32[n=2, 3]"\nposinf = 2.0'),
    Existing(
        "aten::div.Tensor_mode",
        13,
        "op.Floor(op.Div(self, other))",
        'self = "float32[n=2, 3]"\nother = { dtype = "float32", shape = ["n", 3], low = 1.0, high = 2.0 }\nrounding_mode = "floor"',
    ),
    Existing("aten::roll", 13, "", 'self = "float32[n=2, 3]"\nshifts = [1]\ndims = [1]'),
    Existing("aten::flip", 13, "", 'self = "float32[n=2, 3]"\ndims = [0, 1]'),
    Existing(
        "aten::bucketize.Tensor", 13, "", 'self = "float32[n=2, 3]"\nboundaries = [0.0, 1.0, 2.0]'
    ),
    Existing(
        "aten::index_select",
        13,
        "op.Gather(self, index, axis=dim)",
        'self = "float32[n=4, 3]"\ndim = 0\nindex = [0, 2, 1]',
    ),
    Existing(
        "aten::where.self",
        9,
        "op.Where(condition, self, other)",
        'condition = [[true, false, true]]\nself = "float32[n=2, 3]"\nother = "float32[n, 3]"',
    ),
    Existing("aten::cumsum", 11, "op.CumSum(self, dim)", 'self = "float32[n=2, 3]"\ndim = 1'),
    Existing(
        "aten::logit", 13, "", 'self = { dtype = "float32", shape = [2, 3], low = 0.1, high = 0.9 }'
    ),
    Existing(
        "torchvision::ps_roi_align",
        13,
        "",
        'input = "float32[1, 8, 6, 6]"\nrois = [[0.0, 1.0, 1.0, 4.0, 4.0]]\nspatial_scale = 1.0\npooled_height = 2\npooled_width = 2\nsampling_ratio = 2',
        requires="torchvision",
    ),
    Existing(
        "torchvision::roi_pool",
        13,
        "",
        'input = "float32[1, 2, 6, 6]"\nrois = [[0.0, 1.0, 1.0, 4.0, 4.0]]\nspatial_scale = 1.0\npooled_height = 2\npooled_width = 2',
        requires="torchvision",
    ),
)
