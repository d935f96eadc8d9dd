"""Calls and values at which rules of the gallery, or the rules they replaced, were wrong in
silence.

``python -m tests.gallery_values [--dynamo] [--opset 18] [NAME...]`` says which are not PyTorch's,
or are so though they should not be (`LEFT`), and ends with 1 where there is one.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, special

Call = Callable[..., Any]
INF, NAN = float("inf"), float("nan")


def single(*values: Any) -> Tensor:
    return torch.tensor(values)


def double(*values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


A = single(1e4, -1.0, INF, 0.9, 6.0, -7.5, 1.0, -0.0, 0.5, NAN, -5.0, 5.0, 0.3, -INF, 7.0)
B = single(1e-3, INF, 2.0, 0.1, 0.1, 2.0, 0.0, 2.0, -2.0, 1.0, INF, INF, -0.1, 3.0, -INF)
WHOLE = single(7, -7, 7, -7, 6, 0, 2**53 + 1, -(2**53) - 1)
PARTS = single(2, 2, -2, -2, -3, -5, 2, 3)
ANY = double(
    *map(
        float,
        "0 1e-300 1e-20 1e-9 -1e-6 1e-3 -0.1 0.3 0.5 -0.7 1 -1.5 2 -2.5 3 4.9 -5.1 7.3 8.1 -9.9 12.3 -19.9 20.1 31 "
        "-50.5 88.5 -104 700 nan".split(),
    )
)
MATRIX = torch.linspace(-3.3, 4.1, 20, dtype=torch.float64).reshape(4, 5)
MATRIX = MATRIX + torch.sin(7 * MATRIX * MATRIX)
BELOW_ONE = double(0.0, 1e-9, 1e-3, 0.1, 0.13, 0.2, 0.5, 0.7, 0.74, 0.87, 0.99, 0.999999, NAN)
ABOVE_NONE = ANY.abs()
NUMBERS = ANY[ANY.abs() < 100].float()


def sized(x: Tensor) -> tuple[Tensor, Tensor]:
    """A call whose sizes TorchScript computes by the same rules as values."""
    half, third = x.shape[0] // 2, x.shape[1] // 3
    rows = torch.div(torch.tensor(x.shape[0]), 4, rounding_mode="trunc")
    cube = x.reshape(half, -1, third)
    product = torch.baddbmm(cube, cube, torch.ones(half, third, third))
    return (
        torch.matmul(product, cube.transpose(1, 2)).reshape(x.shape[0] // 4, -1, x.shape[1] % 5),
        x.cumsum(0).flip(0).view(int(rows), -1),
    )


VALUES: dict[str, tuple[Any, ...]] = {
    "sizes that are computed": (sized, torch.rand(8, 9)),
    "weight_norm of one dimension": (torch._weight_norm, single(1, -2, 3.0), single(2, 0.5, 1)),
    "floor_divide": (torch.floor_divide, A, B),
    "floor_divide float64": (torch.floor_divide, A.double(), B.double()),
    "floor_divide by a number": (lambda a: a // 0.1, A),
    "floor_divide of integers": (torch.floor_divide, WHOLE, PARTS),
    "floor_divide of int32": (torch.floor_divide, WHOLE[:6].int(), PARTS[:6].int()),
    "floor_divide of uint8": (lambda a: a // 3, single(7, 255, 0).byte()),
    "floor_divide of two dtypes": (torch.floor_divide, WHOLE[:6].int(), B[:6]),
    "div floor": (lambda a, b: torch.div(a, b, rounding_mode="floor"), A, B),
    "div floor float64": (
        lambda a, b: torch.div(a, b, rounding_mode="floor"),
        A.double(),
        B.double(),
    ),
    "div floor of integers": (lambda a, b: torch.div(a, b, rounding_mode="floor"), WHOLE, PARTS),
    "div floor by a number": (lambda a: torch.div(a, 0.1, rounding_mode="floor"), A),
    "div trunc": (lambda a, b: torch.div(a, b, rounding_mode="trunc"), A * 1e9, B),
    "div trunc of integers": (lambda a, b: torch.div(a, b, rounding_mode="trunc"), WHOLE, PARTS),
    "div trunc of uint8": (
        lambda a: torch.div(a, 3, rounding_mode="trunc"),
        single(7, 255, 0).byte(),
    ),
    "div": (torch.div, A, B),
    "div of integers": (torch.div, WHOLE[:6], PARTS[:6]),
    "remainder": (torch.remainder, A, B),
    "remainder float64": (torch.remainder, A.double(), B.double()),
    "remainder by a number": (lambda a: a % 0.1, A),
    "remainder of a number": (lambda a: 1.0 % a, B),
    "remainder of integers": (torch.remainder, WHOLE, PARTS),
    "remainder of int32": (lambda a: a % -3, WHOLE[:6].int()),
    "xlogy": (
        torch.xlogy,
        single(0.0, 0.0, 0.0, 0.0, 2.0, NAN, -0.0),
        single(NAN, 0.0, INF, -1.0, 0.0, 1.0, 0.0),
    ),
    "xlogy of a number": (lambda a: torch.xlogy(0.0, a), single(NAN, 0.0, INF, -1.0)),
    "xlogy by a number": (lambda a: torch.xlogy(a, 0.0), single(NAN, 0.0, INF, -1.0)),
    "xlogy of integers": (torch.xlogy, WHOLE[:6], PARTS[:6].abs()),
    "frexp": (torch.frexp, single(2.0**127, 3.4e38, -0.0, 0.0, INF, NAN, 1e-40, 1e-45, 3.0, -0.5)),
    "frexp float64": (torch.frexp, double(2.0**1023, 1.7e308, -0.0, INF, NAN, 1e-310, 5e-324, 3.0)),
    "ldexp": (
        torch.ldexp,
        single(0.0, 1e-30, 1.0, INF, 3.0, -2.0, NAN, -0.0, 1e-45),
        single(500, 200, -140, 3, 2000, -150, 1, 5, 270),
    ),
    "ldexp float64": (
        torch.ldexp,
        double(0.0, 1e-300, 1.0, INF, 3.0),
        single(5000, 2000, -1060, 3, 20000),
    ),
    "ldexp of floats": (torch.ldexp, single(1.0, 3.0, -0.5), single(0.5, -1.5, 2.0)),
    "zeta": (
        special.zeta,
        single(INF, 2.0, 1.0, 3.0, NAN, INF, 2.5),
        single(2.0, INF, 2.0, -1.5, 1.0, 0.5, NAN),
    ),
    "zeta float64": (
        special.zeta,
        double(2.0, 3.0, 1.5, 30.0, 1.1, 6.0),
        double(1.0, 0.3, 7.0, 0.9, 2.0, 100.0),
    ),
    "nan_to_num": (torch.nan_to_num, single(INF, -INF, NAN, 1.0)),
    "nan_to_num float64": (torch.nan_to_num, double(INF, -INF, NAN, 1.0)),
    "nan_to_num float16": (torch.nan_to_num, single(INF, -INF, NAN, 1.0).half()),
    "nan_to_num of numbers": (
        lambda a: torch.nan_to_num(a, 0.1, 1e30, -0.3),
        double(INF, -INF, NAN, 1.0),
    ),
    "nan_to_num of an infinity": (
        lambda a: torch.nan_to_num(a, posinf=INF),
        single(INF, -INF, NAN, 1.0),
    ),
    "nan_to_num of integers": (torch.nan_to_num, WHOLE),
    "cdist of NaN": (
        lambda a, b: torch.cdist(a, b, p=INF),
        single([NAN, 1.0], [NAN, NAN], [INF, 2.0]),
        single([0.0, 0.0]),
    ),
    "huber_loss": (
        lambda a, b: F.huber_loss(a, b, reduction="none", delta=0.7),
        double(1.0, NAN, 0.3, -INF),
        double(1.5, 2.0, -9.0, 1.0),
    ),
    "huber_loss mean": (F.huber_loss, single(1.0, 0.3), single(1.5, -9.0)),
    "huber_loss sum": (
        lambda a, b: F.huber_loss(a, b, reduction="sum"),
        single(1.0, 0.3),
        single(1.5, -9.0),
    ),
    "huber_loss of two dtypes": (F.huber_loss, single(1.0, 0.3), double(1.5, -9.0)),
    "soft_margin_loss of two dtypes": (F.soft_margin_loss, single(1.0, 0.3), double(1.0, -1.0)),
    "index_fill": (
        lambda a, i: a.index_fill(1, i, -INF),
        single([1.0, NAN, 2.0], [3.0, 4.0, INF]),
        single(-1, 0),
    ),
    "index_fill of a tensor": (
        lambda a, i, v: a.index_fill(0, i, v),
        double(1.0, 2.0, 3.0),
        single(-1, 0),
        torch.tensor(0.7, dtype=torch.float64),
    ),
    "any of no dimensions": (lambda a: torch.any(a, dim=()), single([0.0, 3.0], [0.0, 0.0])),
    "any of a scalar": (lambda a: torch.any(a, dim=()), torch.tensor(3.0)),
    "any of dimensions": (
        lambda a: torch.any(a, dim=(0, 2)),
        torch.arange(8.0).reshape(2, 2, 2) - 3,
    ),
    "all of dimensions": (
        lambda a: torch.all(a, dim=(0, 2)),
        torch.arange(8.0).reshape(2, 2, 2) - 3,
    ),
    "smooth_l1_loss of two dtypes": (F.smooth_l1_loss, single(1.0, 0.3), double(1.5, -9.0)),
    "l1_loss of two dtypes": (F.l1_loss, single(1.0, 0.3), double(1.5, -9.0)),
    "smooth_l1_loss": (
        lambda a, b: F.smooth_l1_loss(a, b, reduction="none", beta=0.7),
        double(1.0, NAN, 0.3, -INF),
        double(1.5, 2.0, -9.0, 1.0),
    ),
    "expm1": (torch.expm1, NUMBERS),
    "expm1 float64": (torch.expm1, ANY),
    "log1p": (torch.log1p, single(1e-5, -2e-6, 1e-30, 0.0, -0.0, 0.3, -1.0, -2.0, INF, NAN)),
    "log1p float64": (torch.log1p, double(1e-12, -1e-300, 0.0, -0.0, -0.5, -1.0, INF, NAN)),
    "log10": (torch.log10, double(0.0, -1.0, 10.0, 1e-300, 7.0, INF, NAN)),
    "deg2rad": (torch.deg2rad, ANY),
    "deg2rad of integers": (torch.deg2rad, WHOLE),
    "rad2deg": (torch.rad2deg, ANY),
    "sinc": (torch.sinc, single(0.0, -0.0, 1e-20, 0.5, 3.3, INF, NAN)),
    "sinc float64": (torch.sinc, double(0.0, -0.0, 1e-20, 0.5, 3.3, 100.3, INF, NAN)),
    "threshold": (lambda a: F.threshold(a, 0.1, 2.3), double(0.1, NAN, INF, -INF, 0.2)),
    "angle": (torch.angle, double(-1.0, NAN, 0.0, -0.0, -INF, 3.0)),
    "addmv": (
        lambda a, b, c: torch.addmv(a, b, c, beta=0.3, alpha=0.7),
        double(1.0, NAN),
        torch.arange(6.0).double().reshape(2, 3),
        double(0.3, 0.7, 1.0),
    ),
    "addmv of integers": (
        torch.addmv,
        single(1, 2),
        torch.arange(6).reshape(2, 3),
        single(3, 7, -1),
    ),
    "addmv without self": (
        lambda a, b, c: torch.addmv(a, b, c, beta=0),
        single(1.0, NAN),
        torch.arange(6.0).reshape(2, 3),
        single(3.0, 7.0, -1.0),
    ),
    "addr": (
        lambda a, b, c: torch.addr(a, b, c, beta=0.3, alpha=0.7),
        double([1.0, NAN]),
        double(1.0, 2.0, 0.3),
        double(0.3, 0.7),
    ),
    "addr without self": (
        lambda a, b, c: torch.addr(a, b, c, beta=0),
        single([1.0, NAN]),
        single(1.0, 2.0, 0.3),
        single(0.3, 0.7),
    ),
    "addcmul": (
        lambda a, b, c: torch.addcmul(a, b, c, value=0.7),
        double(1.0, NAN),
        double(0.3, 0.7),
        double(0.1, 9.0),
    ),
    "addcmul of integers": (
        lambda a, b, c: torch.addcmul(a, b, c, value=2),
        WHOLE[:3],
        PARTS[:3],
        WHOLE[:3],
    ),
    "cosine_similarity": (
        F.cosine_similarity,
        single([1.0, INF], [0.0, 0.0], [NAN, 1.0], [1e-30, 1e-30]),
        single([1.0, 2.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]),
    ),
    "cosine_similarity float64": (
        F.cosine_similarity,
        double([1.0, 0.3], [0.0, 0.0]),
        double([1.0, 2.0], [1.0, 0.0]),
    ),
    **{
        f"pairwise_distance {p}": (
            lambda a, b, p=p: F.pairwise_distance(a, b, p),
            double([1.0, 2.0], [1.0, NAN], [INF, 1.0], [1e-6, 3.0]),
            double(1.0, 2.0),
        )
        for p in (0.0, 1.0, 2.0, 1.5, INF, -INF)
    },
    "triplet_margin_loss": (
        F.triplet_margin_loss,
        double([1.0, 2.0], [0.3, 0.1]),
        double([1.0, 2.0], [0.2, 0.1]),
        double([1.0, 2.5], [0.3, 0.7]),
    ),
    **{
        f"{name} of constants": (call, *arguments)
        for name, call, *arguments in (
            ("scatter", lambda a, i: a.scatter(0, i, 0.7), double(1.0, 2.0), single(1)),
            (
                "scatter add",
                lambda a, i: a.scatter(0, i, 0.7, reduce="add"),
                double(1.0, 2.0),
                single(1),
            ),
            ("renorm", lambda a: a.renorm(1.5, 0, 0.7), MATRIX),
            ("norm 1.5", lambda a: torch.linalg.vector_norm(a, 1.7), MATRIX),
            ("norm 3", lambda a: torch.linalg.vector_norm(a, 3, dim=1), MATRIX),
            ("norm -2.3", lambda a: torch.linalg.vector_norm(a, -2.3, dim=1), MATRIX),
            ("cdist 0", lambda a, b: torch.cdist(a, b, p=0), MATRIX, MATRIX.flip(0)),
            ("cdist 2", torch.cdist, MATRIX, MATRIX.flip(0)),
            ("cdist 1.7", lambda a, b: torch.cdist(a, b, p=1.7), MATRIX, MATRIX.flip(0)),
            ("pdist 1.7", lambda a: F.pdist(a, 1.7), MATRIX),
            ("dist 1.7", lambda a, b: torch.dist(a, b, 1.7), MATRIX, MATRIX.flip(0)),
            (
                "attention",
                lambda a: F.scaled_dot_product_attention(a, a, a, scale=0.3),
                MATRIX[None],
            ),
            ("addmm", lambda a: torch.addmm(a @ a.T, a, a.T, beta=0.3, alpha=0.7), MATRIX[:, :3]),
            (
                "addbmm",
                lambda a, b: torch.addbmm(a, b, b, beta=0.3, alpha=0.7),
                MATRIX[:3, :3],
                MATRIX[None, :3, :3],
            ),
            (
                "baddbmm",
                lambda a: torch.baddbmm(a, a, a, beta=0.3, alpha=0.7),
                MATRIX[None, :3, :3],
            ),
            ("addcdiv", lambda a, b: torch.addcdiv(a, a, b, value=0.7), MATRIX, MATRIX + 9),
            (
                "isclose",
                lambda a: torch.isclose(a, a * (1.0 + 1e-9), rtol=1e-9 * (1 + 1e-8), atol=0.0),
                MATRIX,
            ),
            ("hinge", lambda a, b: F.hinge_embedding_loss(a, b, margin=0.7), MATRIX, MATRIX.sign()),
            (
                "margin_ranking",
                lambda a, b: F.margin_ranking_loss(a, b, a.sign(), margin=0.7),
                MATRIX,
                MATRIX.flip(0),
            ),
            (
                "cosine_embedding",
                lambda a, b: F.cosine_embedding_loss(a, a.flip(0), b, margin=0.07),
                MATRIX,
                single(1, -1, 1, -1),
            ),
            (
                "cross_entropy",
                lambda a, b: F.cross_entropy(a, b, label_smoothing=0.1),
                MATRIX,
                single(1, 0, 2, 1),
            ),
            (
                "poisson",
                lambda a, b: F.poisson_nll_loss(a, b, log_input=False, eps=1e-3, full=True),
                MATRIX.abs(),
                MATRIX.abs(),
            ),
            (
                "binary_cross_entropy",
                lambda a, b: F.binary_cross_entropy(a.sigmoid(), b.sigmoid()),
                MATRIX,
                MATRIX.flip(0),
            ),
            ("rms_norm", lambda a: F.rms_norm(a, (5,), eps=1e-3), MATRIX),
            (
                "batch_norm",
                lambda a: torch.native_batch_norm(a, None, None, None, None, True, 0.1, 1e-3)[0],
                MATRIX,
            ),
            (
                "logspace",
                lambda a: torch.logspace(0.1, 0.7, 5, 2.3, dtype=torch.float64) + a,
                MATRIX,
            ),
            ("float_power", lambda a: torch.float_power(a.abs(), 0.7), MATRIX),
            ("logit", lambda a: torch.logit(a, 0.1), MATRIX),
            ("histc", lambda a: torch.histc(a, 5, -0.7, 0.7), MATRIX),
            ("rrelu", lambda a: F.rrelu(a, 0.1, 0.3), MATRIX),
            ("prelu", lambda a: F.prelu(a, a.mean()), MATRIX),
            ("corrcoef", torch.corrcoef, MATRIX),
            (
                "bilinear",
                lambda a: F.interpolate(
                    a[None, None], scale_factor=0.7, mode="bilinear", antialias=True
                ),
                MATRIX,
            ),
            (
                "bicubic",
                lambda a: F.interpolate(a[None, None], (3, 7), mode="bicubic", antialias=True),
                MATRIX,
            ),
            ("adaptive_avg_pool2d", lambda a: F.adaptive_avg_pool2d(a[None], 3), MATRIX),
            ("softmax", lambda a: torch.softmax(a, 1), MATRIX),
            ("log_softmax", lambda a: torch.log_softmax(a, 1), MATRIX),
            ("logsumexp", lambda a: torch.logsumexp(a, 1), MATRIX),
            ("diff", lambda a: torch.diff(a, 2), MATRIX),
            ("matrix_exp", torch.matrix_exp, MATRIX[:, :4]),
            ("solve", lambda a: torch.linalg.solve(a, a.T), MATRIX[:, :4]),
            ("svdvals", torch.linalg.svdvals, MATRIX),
            ("eigvalsh", torch.linalg.eigvalsh, MATRIX[:, :4]),
            ("pinv", torch.linalg.pinv, MATRIX),
            ("inv", torch.linalg.inv, MATRIX[:, :4]),
            ("cond", torch.linalg.cond, MATRIX),
            ("matrix_norm", torch.linalg.matrix_norm, MATRIX),
        )
    },
    "digamma": (
        torch.digamma,
        torch.cat([NUMBERS, single(-2e-6, -2.0000334, -0.5, -20.5, -3.0, -0.0, INF)]),
    ),
    "digamma float64": (
        torch.digamma,
        torch.cat([ANY, double(-2e-6, -2.0000334, -0.5, -20.5, -3.0, -0.0, INF, 1e10)]),
    ),
    "lgamma float64": (
        torch.lgamma,
        torch.cat([ANY, double(-2e-6, -2.3, -0.5, -3.0, INF, 1e10, 1e300)]),
    ),
    **{
        f"polygamma {n}": (
            lambda a, n=n: torch.polygamma(n, a),
            single(0.05, 0.5, 3.0, 9.0, -0.3, -2.6, 50.0, -2e-6, -20.3, -8.25, NAN),
        )
        for n in range(4)
    },
    **{
        f"polygamma {n} float64": (
            lambda a, n=n: torch.polygamma(n, a),
            double(0.05, 0.5, 3.0, 9.0, -0.3, -2.6, 50.0, 1e10, -2e-6, NAN),
        )
        for n in range(4)
    },
    **{
        name: (getattr(special, name), ANY)
        for name in "i0 i0e i1 i1e modified_bessel_i0 modified_bessel_i1 bessel_j0 bessel_j1 spherical_bessel_j0 erfcx log_ndtr".split()
    },
    **{
        name: (getattr(special, name), ABOVE_NONE)
        for name in "bessel_y0 bessel_y1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1".split()
    },
    **{
        f"{name} float32": (getattr(special, name), NUMBERS)
        for name in "i0 i0e i1 i1e modified_bessel_i0 modified_bessel_i1 bessel_j0 bessel_j1 spherical_bessel_j0 erfcx log_ndtr".split()
    },
    **{
        f"{name} float32": (getattr(special, name), NUMBERS.abs())
        for name in "bessel_y0 bessel_y1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1".split()
    },
    "ndtri": (special.ndtri, BELOW_ONE),
    "ndtri float32": (special.ndtri, torch.cat([BELOW_ONE, double(1.0, 1e-30, -1.0, 2.0)]).float()),
    "erfinv": (torch.erfinv, torch.cat([BELOW_ONE, -BELOW_ONE, double(1.0, -1.0, 2.0)])),
    "erfinv float32": (
        torch.erfinv,
        torch.cat([BELOW_ONE, -BELOW_ONE, double(1.0, -1.0, 2.0)]).float(),
    ),
    "entr float64": (special.entr, ANY),
    "logit float64": (lambda a: torch.logit(a, 0.1), BELOW_ONE),
    "logaddexp float64": (torch.logaddexp, ANY, ANY.flip(0)),
    "logaddexp2 float64": (torch.logaddexp2, ANY, ANY.flip(0)),
    "xlog1py float64": (special.xlog1py, ANY, ABOVE_NONE),
    "airy_ai float64": (special.airy_ai, ANY[ANY.abs() < 100]),
    "scatter_add": (
        lambda a, i, b: a.scatter_add(1, i, b),
        torch.arange(8.0).reshape(2, 4),
        single([0, 0, 0]),
        single([1.0, 2.0, INF]),
    ),
    "scatter_add of integers": (
        lambda a, i, b: a.scatter_add(0, i, b),
        WHOLE,
        single(3, 3, 7),
        WHOLE[:3],
    ),
    "index_add": (
        lambda a, i, b: a.index_add(1, i, b, alpha=0.5),
        torch.zeros(2, 3),
        single(-1, 0, -1) % 3,
        single([1.0, NAN, 2.0], [INF, 1.0, 4.0]),
    ),
    "index_add of integers": (
        lambda a, i, b: a.index_add(0, i, b),
        WHOLE,
        single(3, 3, 7),
        WHOLE[:3],
    ),
    "index_add float64": (
        lambda a, i, b: a.index_add(0, i, b, alpha=0.7),
        double(1.0, 2.0),
        single(1, 1),
        double(0.3, 0.1),
    ),
    "any": (torch.any, single(-1.0, 1.0)),
    "any of a dimension": (lambda a: torch.any(a, 1), single([-1.0, 1.0], [0.0, NAN], [0.0, 0.0])),
    "native_batch_norm": (
        lambda a, b: torch.native_batch_norm(a, None, None, b, b + 1.0, False, 0.1, 0.3),
        MATRIX.float(),
        MATRIX[0].abs().float(),
    ),
    "isclose": (
        lambda a, b: torch.isclose(a, b, rtol=0.2, equal_nan=True),
        single(NAN, INF, INF, 1.0, 1.0, NAN, -INF),
        single(NAN, INF, 1.0, 1.1, 1.0, 1.0, INF),
    ),
    "isclose of integers": (lambda a, b: torch.isclose(a, b, rtol=0.2), WHOLE, PARTS),
    "isclose exactly": (lambda a, b: torch.isclose(a, b, rtol=0.0, atol=0.0), WHOLE, WHOLE - 1),
    "log_softmax of NaN": (lambda a: torch.log_softmax(a, 0), single(NAN, 1.0, 2.0)),
    "softplus": (lambda a: F.softplus(a, 2.0, 20.0), single(1.0, 15.0, -100.0, 9.9, 10.1, NAN)),
    "std float64": (torch.std, ANY[1:-1]),
    "index_fill float64": (
        lambda a, i: a.index_fill(0, i, 0.7),
        double([1.0, NAN], [3.0, 4.0]),
        single(-1),
    ),
    "as_strided of a transposed tensor": (
        lambda a: torch.as_strided(a.t() * 1, (2, 2), (1, 2)),
        torch.arange(6.0).reshape(2, 3),
    ),
}
"""Each a call and its tensors."""

LEFT: dict[str, tuple[Any, ...]] = {
    **{
        f"{name} of a constant": (
            "PyTorch's dynamo exporter writes numbers as float32",
            call,
            MATRIX,
        )
        for name, call in (
            ("lerp", lambda a: torch.lerp(a, a.flip(0), 0.7)),
            ("trapezoid", lambda a: torch.trapezoid(a, dx=0.7)),
            ("gradient", lambda a: torch.gradient(a, spacing=0.7)[0]),
            ("quantile", lambda a: torch.quantile(a, 0.7, dim=1)),
            ("triplet", lambda a: F.triplet_margin_loss(a, a.flip(0), a.flip(1), margin=0.7)),
        )
    },
    "instance_norm float64": (
        "refused: ONNX Runtime has no InstanceNormalization of float64",
        F.instance_norm,
        MATRIX[None],
    ),
    "avg_pool2d float64": (
        "refused: ONNX Runtime has no AveragePool of float64",
        lambda a: F.avg_pool2d(a[None], 3, 1, 1),
        MATRIX,
    ),
    "log_softmax float64 of NaN": (
        "ONNX Runtime's LogSoftmax of float64 passes over NaN",
        lambda a: torch.log_softmax(a, 0),
        double(1.0, 2.0, NAN, 3.0, 4.0),
    ),
    "gammainc float64": (
        "refused: ONNX Runtime has no Erf of float64",
        special.gammainc,
        double(0.5, 3.0, 10.0),
        double(0.5, 3.0, 10.0),
    ),
    "erfc float64": (
        "refused: ONNX Runtime has no Erf of float64",
        special.erfc,
        double(0.5, 3.0, 10.0),
    ),
    "max_pool2d of NaN": (
        "ONNX Runtime's MaxPool passes over NaN",
        lambda a: F.max_pool2d(a, 2),
        single([[[NAN, 1.0], [2.0, 3.0]]]),
    ),
    "gcd of the least integer": (
        "it has no opposite",
        torch.gcd,
        single(-(2**63), 12),
        single(6, -8),
    ),
    "all of no dimensions": (
        "PyTorch's exporter takes none for all",
        lambda a: torch.all(a, dim=()),
        single([0.0, 3.0], [0.0, 0.0]),
    ),
}
"""What is wrong or refused through another project's fault: the project, a call, and its tensors.
"""

OTHERWISE = (
    "as_strided of a transposed tensor",
    "huber_loss of two dtypes",
    "soft_margin_loss of two dtypes",
    "isclose of constants",
    "logspace of constants",
    "prelu of constants",
    "native_batch_norm",
)
"""What is wrong, or refused, by dynamo alone, which decomposes some calls before it asks for a
rule, has numbers in float32, takes results for those of other dtypes and sizes, and knows no
strides.
"""


def cases(names: list[str], step: int = 1) -> Iterator[tuple[str, Call, tuple[Tensor, ...]]]:
    """Yield every ``step``-th case, of those whose names contain one of ``names``, if any."""
    every = VALUES | {name: tuple(tensors) for name, (_, *tensors) in LEFT.items()}
    chosen = [name for name in every if not names or any(part in name for part in names)]
    for name in chosen[::step]:
        call, *tensors = every[name]
        yield name, call, tuple(tensors)


class Model(torch.nn.Module):
    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call

    def forward(self, *tensors: Tensor) -> Any:
        return self.call(*tensors)


def outcome(call: Call, tensors: tuple[Tensor, ...], **options: Any) -> str:
    """Return ``right``, the refusal, or what is wrong."""
    import onnxruntime  # type: ignore[import-untyped]

    import onnxop_runtime

    wanted = call(*(tensor.clone() for tensor in tensors))
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, "model.onnx")
        try:
            names = [f"x{place}" for place in range(len(tensors))]
            onnxop_runtime.export(
                Model(call).eval(), tensors, path, input_names=names, verbose=False, **options
            )
            session = onnxruntime.InferenceSession(
                path, settings, providers=["CPUExecutionProvider"]
            )
            values = dict(zip(names, tensors, strict=True))
            feeds = {port.name: values[port.name].numpy() for port in session.get_inputs()}
            outputs = session.run(None, feeds)
        except Exception as error:  # noqa: BLE001 - whatever refuses it
            return f"refused: {str(error).splitlines()[0][:300]}"
    several = wanted if isinstance(wanted, tuple) else (wanted,)
    for expected, array in zip(several, outputs, strict=True):
        if why := wrong(expected, torch.from_numpy(array)):
            return f"wrong: {why}"
    return "right"


def wrong(expected: Tensor, actual: Tensor) -> str:
    """Return how the tensors differ, by a relative error of 1e-10 in float64, 1e-4 in float32."""
    if (expected.dtype, expected.shape) != (actual.dtype, actual.shape):
        return f"{actual.dtype}{[*actual.shape]}, not {expected.dtype}{[*expected.shape]}"
    rtol = {torch.float64: 1e-10, torch.float32: 1e-4, torch.float16: 1e-3}.get(expected.dtype, 0.0)
    is_same = torch.isclose(actual, expected, rtol, 1e-44, equal_nan=True)
    if is_same.all():
        return ""
    pairs = zip(expected[~is_same].tolist(), actual[~is_same].tolist(), strict=True)
    return ", ".join(f"{b} for {a}" for a, b in pairs)


def main(arguments: list[str] | None = None) -> int:
    import onnxop_runtime.gallery  # noqa: F401

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names; by default all")
    parser.add_argument("--dynamo", action="store_true")
    parser.add_argument("--opset", type=int, default=18)
    parser.add_argument("--step", type=int, default=1, help="each of so many")
    options = parser.parse_args(arguments)
    unexpected = 0
    for name, call, tensors in cases(options.names, options.step):
        result = outcome(call, tensors, dynamo=options.dynamo, opset_version=options.opset)
        is_expected = (result == "right") == (name in VALUES)
        if not is_expected and not (options.dynamo and name in OTHERWISE):
            unexpected += 1
            print(f"{name}: {result}", flush=True)
    print(f"{unexpected} are not as they should be")
    return min(unexpected, 1)


if __name__ == "__main__":
    raise SystemExit(main())
