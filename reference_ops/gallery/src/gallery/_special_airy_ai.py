"""aten::special_airy_ai: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any) -> Any:
    """aten::special_airy_ai in ONNX; `op` writes the nodes for the exporter that asks."""
    max = op.Max(x, op.constant(-2.09, like=x))
    middle = op.Min(max, op.constant(2.09, like=x))
    mul = op.Mul(middle, middle)
    cube = op.Mul(mul, middle)
    even = op.Mul(cube, op.constant(0.0, like=x))
    even_2 = even
    for c in [1.891994192921763e-35, 3.2580140002112756e-32, 4.8283767483131104e-29, 6.083754702874519e-26, 6.424444966235493e-23, 5.589267120624878e-20, 3.923665518678665e-17, 2.165863366310623e-14, 9.096626138504616e-12, 2.7835675983824125e-09, 5.845491956603067e-07, 7.716049382716048e-05, 0.005555555555555555, 0.16666666666666666, 1.0]:  # fmt: skip
        mul_2 = op.Mul(even_2, cube)
        even_3 = op.Add(mul_2, op.constant(c, like=x))
        even_2 = even_3
    odd = op.Mul(cube, op.constant(0.0, like=x))
    odd_2 = odd
    for c_2 in [2.098106899447758e-36, 3.7891810604026514e-33, 5.911122454228137e-30, 7.873615109031878e-27, 8.834196152333768e-24, 8.215802421670404e-21, 6.211146630782826e-18, 3.726687978469696e-15, 1.7217298460529996e-12, 5.888316073501258e-10, 1.413195857640302e-07, 2.204585537918871e-05, 0.001984126984126984, 0.08333333333333333, 1.0]:  # fmt: skip
        mul_3 = op.Mul(odd_2, cube)
        odd_3 = op.Add(mul_3, op.constant(c_2, like=x))
        odd_2 = odd_3
    mul_4 = op.Mul(op.constant(0.3550280538878172, like=x), even_2)
    mul_5 = op.Mul(op.constant(0.2588194037928068, like=x), middle)
    mul_6 = op.Mul(mul_5, odd_2)
    near = op.Sub(mul_4, mul_6)
    abs = op.Abs(x)
    far = op.Max(abs, op.constant(2.09, like=x))
    root = op.Sqrt(far)
    mul_7 = op.Mul(far, root)
    zeta = op.Mul(mul_7, op.constant(0.6666666666666666, like=x))
    sqrt = op.Sqrt(root)
    scale = op.Div(op.constant(0.5641895835477563, like=x), sqrt)
    z = op.Div(op.constant(1.0, like=x), zeta)
    p = op.Mul(z, op.constant(0.0, like=x))
    p_2 = p
    for c_3 in [0.346538101525629, 12.007595273964581, 76.27960536152345, 168.08922493463058, 159.75639135016442, 70.53609068404442, 14.026469116338967, 1.0]:  # fmt: skip
        mul_8 = op.Mul(p_2, z)
        p_3 = op.Add(mul_8, op.constant(c_3, like=x))
        p_2 = p_3
    q = op.Mul(z, op.constant(0.0, like=x))
    q_2 = q
    for c_4 in [0.5675945326387702, 14.75625625848472, 84.51389701414746, 177.31808814540045, 164.2346928715297, 71.47784008255756, 14.095913560783403, 1.0]:  # fmt: skip
        mul_9 = op.Mul(q_2, z)
        q_3 = op.Add(mul_9, op.constant(c_4, like=x))
        q_2 = q_3
    mul_10 = op.Mul(op.constant(0.5, like=x), scale)
    neg = op.Neg(zeta)
    exp = op.Exp(neg)
    mul_11 = op.Mul(mul_10, exp)
    mul_12 = op.Mul(mul_11, p_2)
    high = op.Div(mul_12, q_2)
    zz = op.Mul(z, z)
    fp = op.Mul(zz, op.constant(0.0, like=x))
    fp_2 = fp
    for c_5 in [-0.1316963234183318, -0.6264565444319123, -0.6931580360369335, -0.2797799815451191, -0.04919001326095003, -0.004062659235948854, -0.0001592764962392621, -2.776491081552329e-06, -1.6778769848911465e-08]:  # fmt: skip
        mul_13 = op.Mul(fp_2, zz)
        fp_3 = op.Add(mul_13, op.constant(c_5, like=x))
        fp_2 = fp_3
    fq = op.Mul(zz, op.constant(0.0, like=x))
    fq_2 = fq
    for c_6 in [1.0, 13.356042070655324, 32.682503279522464, 26.736704094149957, 9.187074029072596, 1.4752914677166642, 0.11568717379518804, 0.004402916416152112, 7.547203482874142e-05, 4.5185009297058035e-07]:  # fmt: skip
        mul_14 = op.Mul(fq_2, zz)
        fq_3 = op.Add(mul_14, op.constant(c_6, like=x))
        fq_2 = fq_3
    gp = op.Mul(zz, op.constant(0.0, like=x))
    gp_2 = gp
    for c_7 in [0.01973399320916857, 0.39110302961568827, 1.0657989759959559, 0.9391692298166502, 0.35146565610554764, 0.06338889196289255, 0.005858041130483885, 0.000282851600836737, 6.98793669997261e-06, 8.117892395543892e-08, 3.415517847659236e-10]:  # fmt: skip
        mul_15 = op.Mul(gp_2, zz)
        gp_3 = op.Add(mul_15, op.constant(c_7, like=x))
        gp_2 = gp_3
    gq = op.Mul(zz, op.constant(0.0, like=x))
    gq_2 = gq
    for c_8 in [1.0, 9.30892908077442, 19.835292871831214, 15.564662893286462, 5.476860694229755, 0.9542936116189619, 0.08645808263523921, 0.004126565238242226, 0.00010125908511650914, 1.1716673321441352e-06, 4.9183457006293e-09]:  # fmt: skip
        mul_16 = op.Mul(gq_2, zz)
        gq_3 = op.Add(mul_16, op.constant(c_8, like=x))
        gq_2 = gq_3
    theta = op.Add(zeta, op.constant(0.7853981633974483, like=x))
    sin = op.Sin(theta)
    mul_17 = op.Mul(zz, fp_2)
    div = op.Div(mul_17, fq_2)
    add = op.Add(op.constant(1.0, like=x), div)
    mul_18 = op.Mul(sin, add)
    cos = op.Cos(theta)
    mul_19 = op.Mul(cos, z)
    mul_20 = op.Mul(mul_19, gp_2)
    div_2 = op.Div(mul_20, gq_2)
    sub = op.Sub(mul_18, div_2)
    low = op.Mul(scale, sub)
    less = op.Less(x, op.constant(-2.09, like=x))
    less_2 = op.Less(x, op.constant(2.09, like=x))
    where = op.Where(less_2, near, high)
    found = op.Where(less, low, where)
    is_inf = op.IsInf(x)
    constant_2 = op.Constant(value_float=-(float("inf") - float("inf")))
    cast_like = op.CastLike(constant_2, x)
    greater = op.Greater(x, op.constant(103.892, like=x))
    where_2 = op.Where(greater, op.constant(0.0, like=x), found)
    return op.Where(is_inf, cast_like, where_2)


OP = _onnxop.Operator(
    name="aten::special_airy_ai.default",
    existing="aten::special_airy_ai.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_airy_ai",
    doc="The operator aten::special_airy_ai.",
    spec="sha256:e3404b5bcf83d6967a266c37a81a45fb746b3582121d2e927af0c1e9433fd2f8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_airy_ai.default


@_onnxop.script.scripted(OP)
def special_airy_ai(
    x: Tensor,
) -> Tensor:
    """The operator aten::special_airy_ai.

    Args:
        x: a tensor.

    Returns:
        What PyTorch's aten::special_airy_ai returns.
    """
    result: Tensor = _operator(
        x,
    )
    return result


class SpecialAiryAi(torch.nn.Module):
    """`special_airy_ai` as a module."""

    def forward(
        self,
        x: Tensor,
    ) -> Tensor:
        return special_airy_ai(
            x,
        )
