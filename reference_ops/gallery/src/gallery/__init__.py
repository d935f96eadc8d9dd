"""Rules for operators of PyTorch's that its exporters leave out"""

from ._acosh import Acosh, acosh
from ._adaptive_avg_pool1d import AdaptiveAvgPool1d, adaptive_avg_pool1d
from ._adaptive_avg_pool2d import AdaptiveAvgPool2d, adaptive_avg_pool2d
from ._adaptive_avg_pool3d import AdaptiveAvgPool3d, adaptive_avg_pool3d
from ._adaptive_max_pool1d import AdaptiveMaxPool1d, adaptive_max_pool1d
from ._adaptive_max_pool2d import AdaptiveMaxPool2d, adaptive_max_pool2d
from ._adaptive_max_pool3d import AdaptiveMaxPool3d, adaptive_max_pool3d
from ._addbmm import Addbmm, addbmm
from ._addcdiv import Addcdiv, addcdiv
from ._addcmul import Addcmul, addcmul
from ._addmm import Addmm, addmm
from ._addmv import Addmv, addmv
from ._addr import Addr, addr
from ._alias_copy import AliasCopy, alias_copy
from ._all import All, all
from ._all_dim import AllDim, all_dim
from ._alpha_dropout import AlphaDropout, alpha_dropout
from ._amax import Amax, amax
from ._amin import Amin, amin
from ._aminmax import Aminmax, aminmax
from ._and_operator import AndOperator, and_operator
from ._angle import Angle, angle
from ._any import AnyOp, any
from ._any_dim import AnyDim, any_dim
from ._argmax import Argmax, argmax
from ._argmin import Argmin, argmin
from ._argsort import Argsort, argsort
from ._argwhere import Argwhere, argwhere
from ._as_strided_copy import AsStridedCopy, as_strided_copy
from ._as_strided_scatter import AsStridedScatter, as_strided_scatter
from ._asinh import Asinh, asinh
from ._atanh import Atanh, atanh
from ._avg_pool2d import AvgPool2d, avg_pool2d
from ._avg_pool3d import AvgPool3d, avg_pool3d
from ._baddbmm import Baddbmm, baddbmm
from ._batch_norm_with_update_functional import (
    BatchNormWithUpdateFunctional,
    batch_norm_with_update_functional,
)
from ._bilinear import Bilinear, bilinear
from ._binary_cross_entropy import BinaryCrossEntropy, binary_cross_entropy
from ._bincount import Bincount, bincount
from ._bitwise_not import BitwiseNot, bitwise_not
from ._bitwise_or import BitwiseOr, bitwise_or
from ._bitwise_xor import BitwiseXor, bitwise_xor
from ._block_diag import BlockDiag, block_diag
from ._cartesian_prod import CartesianProd, cartesian_prod
from ._cdist import Cdist, cdist
from ._channel_shuffle import ChannelShuffle, channel_shuffle
from ._cholesky_inverse import CholeskyInverse, cholesky_inverse
from ._cholesky_solve import CholeskySolve, cholesky_solve
from ._chunk_cat import ChunkCat, chunk_cat
from ._col2im import Col2im, col2im
from ._column_stack import ColumnStack, column_stack
from ._combinations import Combinations, combinations
from ._convolution import Convolution, convolution
from ._convolution_mode import ConvolutionMode, convolution_mode
from ._copy_to import CopyTo, copy_to
from ._copysign import Copysign, copysign
from ._copysign_scalar import CopysignScalar, copysign_scalar
from ._corrcoef import Corrcoef, CorrcoefFunction, corrcoef
from ._cosh import Cosh, cosh
from ._cosine_embedding_loss import CosineEmbeddingLoss, cosine_embedding_loss
from ._cosine_similarity import CosineSimilarity, cosine_similarity
from ._count_nonzero import CountNonzero, count_nonzero
from ._cov import Cov, CovFunction, cov
from ._cross import Cross, cross
from ._cross_entropy_loss import CrossEntropyLoss, cross_entropy_loss
from ._ctc_loss import CtcLoss, CtcLossFunction, ctc_loss
from ._ctc_loss_tensor import CtcLossTensor, CtcLossTensorFunction, ctc_loss_tensor
from ._cummax import Cummax, cummax
from ._cummin import Cummin, cummin
from ._cumprod import Cumprod, cumprod
from ._cumsum import Cumsum, cumsum
from ._cumulative_trapezoid import CumulativeTrapezoid, cumulative_trapezoid
from ._deg2rad import Deg2rad, deg2rad
from ._det import Det, det
from ._diag import Diag, diag
from ._diag_embed import DiagEmbed, diag_embed
from ._diagflat import Diagflat, diagflat
from ._diagonal import Diagonal, diagonal
from ._diagonal_copy import DiagonalCopy, diagonal_copy
from ._diagonal_scatter import DiagonalScatter, diagonal_scatter
from ._diff import Diff, diff
from ._digamma import Digamma, digamma
from ._dist import Dist, dist
from ._divide import Divide, divide
from ._dsplit import Dsplit, dsplit
from ._dstack import Dstack, dstack
from ._embedding import Embedding, embedding
from ._erfc import Erfc, erfc
from ._erfinv import Erfinv, erfinv
from ._exp2 import Exp2, exp2
from ._expand_copy import ExpandCopy, expand_copy
from ._expm1 import Expm1, expm1
from ._feature_alpha_dropout import FeatureAlphaDropout, feature_alpha_dropout
from ._feature_dropout import FeatureDropout, feature_dropout
from ._fft_fftshift import FftFftshift, fft_fftshift
from ._fft_hfft import FftHfft, fft_hfft
from ._fft_hfft2 import FftHfft2, fft_hfft2
from ._fft_hfftn import FftHfftn, fft_hfftn
from ._fft_ifftshift import FftIfftshift, fft_ifftshift
from ._fft_irfft import FftIrfft, fft_irfft
from ._fft_irfft2 import FftIrfft2, fft_irfft2
from ._fft_irfftn import FftIrfftn, fft_irfftn
from ._flip import Flip, flip
from ._fliplr import Fliplr, fliplr
from ._flipud import Flipud, flipud
from ._float_power import FloatPower, float_power
from ._floor_divide import FloorDivide, floor_divide
from ._fmax import Fmax, fmax
from ._fmin import Fmin, fmin
from ._frac import Frac, frac
from ._fractional_max_pool2d import FractionalMaxPool2d, fractional_max_pool2d
from ._fractional_max_pool3d import FractionalMaxPool3d, fractional_max_pool3d
from ._frexp import Frexp, frexp
from ._gather import Gather, gather
from ._gcd import Gcd, gcd
from ._geqrf import Geqrf, GeqrfFunction, geqrf
from ._gradient import Gradient, gradient
from ._greater import Greater, greater
from ._greater_equal import GreaterEqual, greater_equal
from ._grid_sampler_2d import GridSampler2d, grid_sampler_2d
from ._grid_sampler_3d import GridSampler3d, grid_sampler_3d
from ._heaviside import Heaviside, heaviside
from ._hinge_embedding_loss import HingeEmbeddingLoss, hinge_embedding_loss
from ._histc import Histc, histc
from ._histogram import Histogram, HistogramFunction, histogram
from ._histogram_bins_tensor import (
    HistogramBinsTensor,
    HistogramBinsTensorFunction,
    histogram_bins_tensor,
)
from ._hsplit import Hsplit, hsplit
from ._huber_loss import HuberLoss, huber_loss
from ._hypot import Hypot, hypot
from ._i0 import I0, i0
from ._igamma import Igamma, igamma
from ._igammac import Igammac, igammac
from ._im2col import Im2col, im2col
from ._index_add import IndexAdd, index_add
from ._index_copy import IndexCopy, index_copy
from ._index_fill import IndexFill, index_fill
from ._index_reduce import IndexReduce, index_reduce
from ._index_select import IndexSelect, index_select
from ._inner import Inner, inner
from ._instance_norm import InstanceNorm, instance_norm
from ._inverse import Inverse, inverse
from ._isclose import Isclose, isclose
from ._isin import Isin, isin
from ._isneginf import Isneginf, isneginf
from ._isposinf import Isposinf, isposinf
from ._isreal import Isreal, isreal
from ._kron import Kron, KronFunction, kron
from ._kthvalue import Kthvalue, kthvalue
from ._l1_loss import L1Loss, l1_loss
from ._lcm import Lcm, lcm
from ._ldexp import Ldexp, ldexp
from ._less import Less, less
from ._less_equal import LessEqual, less_equal
from ._lgamma import Lgamma, lgamma
from ._linalg_cholesky import LinalgCholesky, linalg_cholesky
from ._linalg_cholesky_ex import LinalgCholeskyEx, linalg_cholesky_ex
from ._linalg_cond import LinalgCond, linalg_cond
from ._linalg_det import LinalgDet, linalg_det
from ._linalg_diagonal import LinalgDiagonal, linalg_diagonal
from ._linalg_eigh import LinalgEigh, linalg_eigh
from ._linalg_eigh_factors import LinalgEighFactors, linalg_eigh_factors
from ._linalg_eigvalsh import LinalgEigvalsh, linalg_eigvalsh
from ._linalg_householder_product import LinalgHouseholderProduct, linalg_householder_product
from ._linalg_inv import LinalgInv, linalg_inv
from ._linalg_inv_ex import LinalgInvEx, linalg_inv_ex
from ._linalg_ldl_factor import LinalgLdlFactor, linalg_ldl_factor
from ._linalg_ldl_factor_ex import LinalgLdlFactorEx, linalg_ldl_factor_ex
from ._linalg_ldl_solve import LinalgLdlSolve, linalg_ldl_solve
from ._linalg_lstsq import LinalgLstsq, LinalgLstsqFunction, linalg_lstsq
from ._linalg_lu import LinalgLu, linalg_lu
from ._linalg_lu_factor import LinalgLuFactor, linalg_lu_factor
from ._linalg_lu_factor_ex import LinalgLuFactorEx, linalg_lu_factor_ex
from ._linalg_lu_solve import LinalgLuSolve, linalg_lu_solve
from ._linalg_matrix_exp import LinalgMatrixExp, linalg_matrix_exp
from ._linalg_matrix_norm import LinalgMatrixNorm, linalg_matrix_norm
from ._linalg_matrix_power import LinalgMatrixPower, linalg_matrix_power
from ._linalg_matrix_rank import LinalgMatrixRank, linalg_matrix_rank
from ._linalg_multi_dot import LinalgMultiDot, linalg_multi_dot
from ._linalg_norm import LinalgNorm, linalg_norm
from ._linalg_pinv import LinalgPinv, linalg_pinv
from ._linalg_pinv_of_tensors import LinalgPinvOfTensors, linalg_pinv_of_tensors
from ._linalg_qr import LinalgQr, linalg_qr
from ._linalg_slogdet import LinalgSlogdet, linalg_slogdet
from ._linalg_solve import LinalgSolve, linalg_solve
from ._linalg_solve_ex import LinalgSolveEx, linalg_solve_ex
from ._linalg_solve_triangular import LinalgSolveTriangular, linalg_solve_triangular
from ._linalg_svd import LinalgSvd, linalg_svd
from ._linalg_svd_factors import LinalgSvdFactors, linalg_svd_factors
from ._linalg_svdvals import LinalgSvdvals, linalg_svdvals
from ._linalg_tensorinv import LinalgTensorinv, linalg_tensorinv
from ._linalg_tensorsolve import LinalgTensorsolve, linalg_tensorsolve
from ._linalg_vander import LinalgVander, linalg_vander
from ._linalg_vecdot import LinalgVecdot, linalg_vecdot
from ._linalg_vector_norm import LinalgVectorNorm, linalg_vector_norm
from ._log10 import Log10, log10
from ._log_softmax import LogSoftmax, log_softmax
from ._logaddexp import Logaddexp, logaddexp
from ._logaddexp2 import Logaddexp2, logaddexp2
from ._logcumsumexp import Logcumsumexp, logcumsumexp
from ._logdet import Logdet, logdet
from ._logit import Logit, logit
from ._logspace import Logspace, logspace
from ._logsumexp import Logsumexp, logsumexp
from ._lu_solve import LuSolve, lu_solve
from ._lu_unpack import LuUnpack, lu_unpack
from ._lu_with_info import LuWithInfo, lu_with_info
from ._margin_ranking_loss import MarginRankingLoss, margin_ranking_loss
from ._masked_scatter import MaskedScatter, masked_scatter
from ._masked_select import MaskedSelect, masked_select
from ._matrix_H import MatrixH, matrix_H
from ._max_dim import MaxDim, max_dim
from ._max_pool1d import MaxPool1d, max_pool1d
from ._max_pool1d_with_indices import MaxPool1dWithIndices, max_pool1d_with_indices
from ._max_pool2d import MaxPool2d, max_pool2d
from ._max_pool2d_with_indices import MaxPool2dWithIndices, max_pool2d_with_indices
from ._max_pool3d import MaxPool3d, max_pool3d
from ._max_pool3d_with_indices import MaxPool3dWithIndices, max_pool3d_with_indices
from ._max_unpool2d import MaxUnpool2d, max_unpool2d
from ._max_unpool3d import MaxUnpool3d, max_unpool3d
from ._median import Median, median
from ._median_dim import MedianDim, median_dim
from ._meshgrid import Meshgrid, meshgrid
from ._mH import MH, mH
from ._min_dim import MinDim, min_dim
from ._mode import Mode, mode
from ._movedim import Movedim, movedim
from ._msort import Msort, msort
from ._mT import MT, mT
from ._multi_margin_loss import MultiMarginLoss, multi_margin_loss
from ._multilabel_margin_loss import MultilabelMarginLoss, multilabel_margin_loss
from ._multiply import Multiply, multiply
from ._mvlgamma import Mvlgamma, mvlgamma
from ._nan_to_num import NanToNum, nan_to_num
from ._nanmean import Nanmean, nanmean
from ._nanmedian import Nanmedian, nanmedian
from ._nanmedian_dim import NanmedianDim, nanmedian_dim
from ._nanquantile import Nanquantile, nanquantile
from ._nansum import Nansum, nansum
from ._narrow_copy import NarrowCopy, narrow_copy
from ._native_batch_norm import NativeBatchNorm, native_batch_norm
from ._native_batch_norm_legit_functional import (
    NativeBatchNormLegitFunctional,
    native_batch_norm_legit_functional,
)
from ._native_dropout_backward import NativeDropoutBackward, native_dropout_backward
from ._native_group_norm import NativeGroupNorm, native_group_norm
from ._nextafter import Nextafter, nextafter
from ._nll_loss_nd import NllLossNd, nll_loss_nd
from ._nonzero import Nonzero, nonzero
from ._nonzero_numpy import NonzeroNumpy, nonzero_numpy
from ._nonzero_static import NonzeroStatic, nonzero_static
from ._one_hot import OneHot, OneHotFunction, one_hot
from ._onnxop import (
    Verification,
    export,
    translation_table,
    verify,
)
from ._or_operator import OrOperator, or_operator
from ._ormqr import Ormqr, ormqr
from ._pairwise_distance import PairwiseDistance, pairwise_distance
from ._pdist import Pdist, pdist
from ._permute import Permute, permute
from ._permute_copy import PermuteCopy, permute_copy
from ._pinverse import Pinverse, pinverse
from ._pixel_unshuffle import PixelUnshuffle, pixel_unshuffle
from ._poisson_nll_loss import PoissonNllLoss, poisson_nll_loss
from ._polygamma import Polygamma, polygamma
from ._positive import Positive, positive
from ._prelu import Prelu, prelu
from ._put import Put, put
from ._quantile import Quantile, quantile
from ._rad2deg import Rad2deg, rad2deg
from ._ravel import Ravel, ravel
from ._real import Real, real
from ._renorm import Renorm, renorm
from ._repeat import Repeat, repeat
from ._repeat_interleave_self_tensor import (
    RepeatInterleaveSelfTensor,
    repeat_interleave_self_tensor,
)
from ._repeat_interleave_tensor import RepeatInterleaveTensor, repeat_interleave_tensor
from ._rms_norm import RmsNorm, rms_norm
from ._roll import Roll, roll
from ._rot90 import Rot90, rot90
from ._rrelu import Rrelu, rrelu
from ._safe_softmax import SafeSoftmax, safe_softmax
from ._scaled_dot_product_attention import ScaledDotProductAttention, scaled_dot_product_attention
from ._scaled_dot_product_flash_attention_for_cpu import (
    ScaledDotProductFlashAttentionForCpu,
    scaled_dot_product_flash_attention_for_cpu,
)
from ._scatter_add import ScatterAdd, scatter_add
from ._scatter_reduce import ScatterReduce, scatter_reduce
from ._scatter_src import ScatterSrc, scatter_src
from ._scatter_src_reduce import ScatterSrcReduce, scatter_src_reduce
from ._scatter_value import ScatterValue, scatter_value
from ._scatter_value_reduce import ScatterValueReduce, scatter_value_reduce
from ._searchsorted import Searchsorted, searchsorted
from ._segment_reduce import SegmentReduce, segment_reduce
from ._select_scatter import SelectScatter, select_scatter
from ._sgn import Sgn, sgn
from ._signbit import Signbit, signbit
from ._sinc import Sinc, sinc
from ._sinh import Sinh, sinh
from ._slice_scatter import SliceScatter, slice_scatter
from ._slogdet import Slogdet, slogdet
from ._smooth_l1_loss import SmoothL1Loss, smooth_l1_loss
from ._soft_margin_loss import SoftMarginLoss, soft_margin_loss
from ._softmax import Softmax, softmax
from ._softmax_backward_data import SoftmaxBackwardData, softmax_backward_data
from ._softplus import Softplus, softplus
from ._sort import Sort, sort
from ._sort_stable import SortStable, sort_stable
from ._special_airy_ai import SpecialAiryAi, special_airy_ai
from ._special_bessel_j0 import SpecialBesselJ0, special_bessel_j0
from ._special_bessel_j1 import SpecialBesselJ1, special_bessel_j1
from ._special_bessel_y0 import SpecialBesselY0, special_bessel_y0
from ._special_bessel_y1 import SpecialBesselY1, special_bessel_y1
from ._special_chebyshev_polynomial_t import (
    SpecialChebyshevPolynomialT,
    special_chebyshev_polynomial_t,
)
from ._special_chebyshev_polynomial_u import (
    SpecialChebyshevPolynomialU,
    special_chebyshev_polynomial_u,
)
from ._special_chebyshev_polynomial_v import (
    SpecialChebyshevPolynomialV,
    special_chebyshev_polynomial_v,
)
from ._special_chebyshev_polynomial_w import (
    SpecialChebyshevPolynomialW,
    special_chebyshev_polynomial_w,
)
from ._special_entr import SpecialEntr, special_entr
from ._special_erfcx import SpecialErfcx, special_erfcx
from ._special_hermite_polynomial_h import SpecialHermitePolynomialH, special_hermite_polynomial_h
from ._special_hermite_polynomial_he import (
    SpecialHermitePolynomialHe,
    special_hermite_polynomial_he,
)
from ._special_i0e import SpecialI0e, special_i0e
from ._special_i1 import SpecialI1, special_i1
from ._special_i1e import SpecialI1e, special_i1e
from ._special_laguerre_polynomial_l import (
    SpecialLaguerrePolynomialL,
    special_laguerre_polynomial_l,
)
from ._special_legendre_polynomial_p import (
    SpecialLegendrePolynomialP,
    special_legendre_polynomial_p,
)
from ._special_log_ndtr import SpecialLogNdtr, special_log_ndtr
from ._special_modified_bessel_i0 import SpecialModifiedBesselI0, special_modified_bessel_i0
from ._special_modified_bessel_i1 import SpecialModifiedBesselI1, special_modified_bessel_i1
from ._special_modified_bessel_k0 import SpecialModifiedBesselK0, special_modified_bessel_k0
from ._special_modified_bessel_k1 import SpecialModifiedBesselK1, special_modified_bessel_k1
from ._special_ndtr import SpecialNdtr, special_ndtr
from ._special_ndtri import SpecialNdtri, special_ndtri
from ._special_scaled_modified_bessel_k0 import (
    SpecialScaledModifiedBesselK0,
    special_scaled_modified_bessel_k0,
)
from ._special_scaled_modified_bessel_k1 import (
    SpecialScaledModifiedBesselK1,
    special_scaled_modified_bessel_k1,
)
from ._special_shifted_chebyshev_polynomial_t import (
    SpecialShiftedChebyshevPolynomialT,
    special_shifted_chebyshev_polynomial_t,
)
from ._special_shifted_chebyshev_polynomial_u import (
    SpecialShiftedChebyshevPolynomialU,
    special_shifted_chebyshev_polynomial_u,
)
from ._special_shifted_chebyshev_polynomial_v import (
    SpecialShiftedChebyshevPolynomialV,
    special_shifted_chebyshev_polynomial_v,
)
from ._special_shifted_chebyshev_polynomial_w import (
    SpecialShiftedChebyshevPolynomialW,
    special_shifted_chebyshev_polynomial_w,
)
from ._special_spherical_bessel_j0 import SpecialSphericalBesselJ0, special_spherical_bessel_j0
from ._special_xlog1py import SpecialXlog1py, special_xlog1py
from ._special_zeta import SpecialZeta, special_zeta
from ._split_with_sizes_copy import SplitWithSizesCopy, split_with_sizes_copy
from ._squeeze_copy import SqueezeCopy, squeeze_copy
from ._squeeze_dim import SqueezeDim, squeeze_dim
from ._squeeze_dims import SqueezeDims, squeeze_dims
from ._std import Std, std
from ._std_correction import StdCorrection, std_correction
from ._std_mean import StdMean, std_mean
from ._std_mean_correction import StdMeanCorrection, std_mean_correction
from ._subtract import Subtract, subtract
from ._sum_to_size import SumToSize, sum_to_size
from ._svd import Svd, svd
from ._t_copy import TCopy, t_copy
from ._take import Take, take
from ._take_along_dim import TakeAlongDim, take_along_dim
from ._threshold import Threshold, threshold
from ._tile import Tile, tile
from ._topk import Topk, topk
from ._trace import Trace, trace
from ._transpose_copy import TransposeCopy, transpose_copy
from ._trapezoid import Trapezoid, trapezoid
from ._trapz import Trapz, trapz
from ._triangular_solve import TriangularSolve, triangular_solve
from ._triplet_margin_loss import TripletMarginLoss, triplet_margin_loss
from ._trunc import Trunc, trunc
from ._unbind_copy import UnbindCopy, unbind_copy
from ._unfold import Unfold, unfold
from ._unfold_copy import UnfoldCopy, unfold_copy
from ._unique_consecutive import UniqueConsecutive, unique_consecutive
from ._unsafe_masked_index import UnsafeMaskedIndex, unsafe_masked_index
from ._unsafe_masked_index_put_accumulate import (
    UnsafeMaskedIndexPutAccumulate,
    unsafe_masked_index_put_accumulate,
)
from ._unsqueeze_copy import UnsqueezeCopy, unsqueeze_copy
from ._upsample_bicubic2d_aa import UpsampleBicubic2dAa, upsample_bicubic2d_aa
from ._upsample_bicubic2d_aa_scales import UpsampleBicubic2dAaScales, upsample_bicubic2d_aa_scales
from ._upsample_bilinear2d_aa import UpsampleBilinear2dAa, upsample_bilinear2d_aa
from ._upsample_bilinear2d_aa_scales import (
    UpsampleBilinear2dAaScales,
    upsample_bilinear2d_aa_scales,
)
from ._upsample_nearest_exact1d import UpsampleNearestExact1d, upsample_nearest_exact1d
from ._upsample_nearest_exact2d import UpsampleNearestExact2d, upsample_nearest_exact2d
from ._upsample_nearest_exact3d import UpsampleNearestExact3d, upsample_nearest_exact3d
from ._var import Var, var
from ._var_correction import VarCorrection, var_correction
from ._var_mean import VarMean, var_mean
from ._var_mean_correction import VarMeanCorrection, var_mean_correction
from ._vdot import Vdot, vdot
from ._view_copy import ViewCopy, view_copy
from ._vsplit import Vsplit, vsplit
from ._xlogy import Xlogy, xlogy
from ._xor_operator import XorOperator, xor_operator

__version__ = "0.1.0"

__all__ = [
    "I0",
    "MH",
    "MT",
    "Acosh",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "Addbmm",
    "Addcdiv",
    "Addcmul",
    "Addmm",
    "Addmv",
    "Addr",
    "AliasCopy",
    "All",
    "AllDim",
    "AlphaDropout",
    "Amax",
    "Amin",
    "Aminmax",
    "AndOperator",
    "Angle",
    "AnyDim",
    "AnyOp",
    "Argmax",
    "Argmin",
    "Argsort",
    "Argwhere",
    "AsStridedCopy",
    "AsStridedScatter",
    "Asinh",
    "Atanh",
    "AvgPool2d",
    "AvgPool3d",
    "Baddbmm",
    "BatchNormWithUpdateFunctional",
    "Bilinear",
    "BinaryCrossEntropy",
    "Bincount",
    "BitwiseNot",
    "BitwiseOr",
    "BitwiseXor",
    "BlockDiag",
    "CartesianProd",
    "Cdist",
    "ChannelShuffle",
    "CholeskyInverse",
    "CholeskySolve",
    "ChunkCat",
    "Col2im",
    "ColumnStack",
    "Combinations",
    "Convolution",
    "ConvolutionMode",
    "CopyTo",
    "Copysign",
    "CopysignScalar",
    "Corrcoef",
    "CorrcoefFunction",
    "Cosh",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CountNonzero",
    "Cov",
    "CovFunction",
    "Cross",
    "CrossEntropyLoss",
    "CtcLoss",
    "CtcLossFunction",
    "CtcLossTensor",
    "CtcLossTensorFunction",
    "Cummax",
    "Cummin",
    "Cumprod",
    "Cumsum",
    "CumulativeTrapezoid",
    "Deg2rad",
    "Det",
    "Diag",
    "DiagEmbed",
    "Diagflat",
    "Diagonal",
    "DiagonalCopy",
    "DiagonalScatter",
    "Diff",
    "Digamma",
    "Dist",
    "Divide",
    "Dsplit",
    "Dstack",
    "Embedding",
    "Erfc",
    "Erfinv",
    "Exp2",
    "ExpandCopy",
    "Expm1",
    "FeatureAlphaDropout",
    "FeatureDropout",
    "FftFftshift",
    "FftHfft",
    "FftHfft2",
    "FftHfftn",
    "FftIfftshift",
    "FftIrfft",
    "FftIrfft2",
    "FftIrfftn",
    "Flip",
    "Fliplr",
    "Flipud",
    "FloatPower",
    "FloorDivide",
    "Fmax",
    "Fmin",
    "Frac",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "Frexp",
    "Gather",
    "Gcd",
    "Geqrf",
    "GeqrfFunction",
    "Gradient",
    "Greater",
    "GreaterEqual",
    "GridSampler2d",
    "GridSampler3d",
    "Heaviside",
    "HingeEmbeddingLoss",
    "Histc",
    "Histogram",
    "HistogramBinsTensor",
    "HistogramBinsTensorFunction",
    "HistogramFunction",
    "Hsplit",
    "HuberLoss",
    "Hypot",
    "Igamma",
    "Igammac",
    "Im2col",
    "IndexAdd",
    "IndexCopy",
    "IndexFill",
    "IndexReduce",
    "IndexSelect",
    "Inner",
    "InstanceNorm",
    "Inverse",
    "Isclose",
    "Isin",
    "Isneginf",
    "Isposinf",
    "Isreal",
    "Kron",
    "KronFunction",
    "Kthvalue",
    "L1Loss",
    "Lcm",
    "Ldexp",
    "Less",
    "LessEqual",
    "Lgamma",
    "LinalgCholesky",
    "LinalgCholeskyEx",
    "LinalgCond",
    "LinalgDet",
    "LinalgDiagonal",
    "LinalgEigh",
    "LinalgEighFactors",
    "LinalgEigvalsh",
    "LinalgHouseholderProduct",
    "LinalgInv",
    "LinalgInvEx",
    "LinalgLdlFactor",
    "LinalgLdlFactorEx",
    "LinalgLdlSolve",
    "LinalgLstsq",
    "LinalgLstsqFunction",
    "LinalgLu",
    "LinalgLuFactor",
    "LinalgLuFactorEx",
    "LinalgLuSolve",
    "LinalgMatrixExp",
    "LinalgMatrixNorm",
    "LinalgMatrixPower",
    "LinalgMatrixRank",
    "LinalgMultiDot",
    "LinalgNorm",
    "LinalgPinv",
    "LinalgPinvOfTensors",
    "LinalgQr",
    "LinalgSlogdet",
    "LinalgSolve",
    "LinalgSolveEx",
    "LinalgSolveTriangular",
    "LinalgSvd",
    "LinalgSvdFactors",
    "LinalgSvdvals",
    "LinalgTensorinv",
    "LinalgTensorsolve",
    "LinalgVander",
    "LinalgVecdot",
    "LinalgVectorNorm",
    "Log10",
    "LogSoftmax",
    "Logaddexp",
    "Logaddexp2",
    "Logcumsumexp",
    "Logdet",
    "Logit",
    "Logspace",
    "Logsumexp",
    "LuSolve",
    "LuUnpack",
    "LuWithInfo",
    "MarginRankingLoss",
    "MaskedScatter",
    "MaskedSelect",
    "MatrixH",
    "MaxDim",
    "MaxPool1d",
    "MaxPool1dWithIndices",
    "MaxPool2d",
    "MaxPool2dWithIndices",
    "MaxPool3d",
    "MaxPool3dWithIndices",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Median",
    "MedianDim",
    "Meshgrid",
    "MinDim",
    "Mode",
    "Movedim",
    "Msort",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "Multiply",
    "Mvlgamma",
    "NanToNum",
    "Nanmean",
    "Nanmedian",
    "NanmedianDim",
    "Nanquantile",
    "Nansum",
    "NarrowCopy",
    "NativeBatchNorm",
    "NativeBatchNormLegitFunctional",
    "NativeDropoutBackward",
    "NativeGroupNorm",
    "Nextafter",
    "NllLossNd",
    "Nonzero",
    "NonzeroNumpy",
    "NonzeroStatic",
    "OneHot",
    "OneHotFunction",
    "OrOperator",
    "Ormqr",
    "PairwiseDistance",
    "Pdist",
    "Permute",
    "PermuteCopy",
    "Pinverse",
    "PixelUnshuffle",
    "PoissonNllLoss",
    "Polygamma",
    "Positive",
    "Prelu",
    "Put",
    "Quantile",
    "Rad2deg",
    "Ravel",
    "Real",
    "Renorm",
    "Repeat",
    "RepeatInterleaveSelfTensor",
    "RepeatInterleaveTensor",
    "RmsNorm",
    "Roll",
    "Rot90",
    "Rrelu",
    "SafeSoftmax",
    "ScaledDotProductAttention",
    "ScaledDotProductFlashAttentionForCpu",
    "ScatterAdd",
    "ScatterReduce",
    "ScatterSrc",
    "ScatterSrcReduce",
    "ScatterValue",
    "ScatterValueReduce",
    "Searchsorted",
    "SegmentReduce",
    "SelectScatter",
    "Sgn",
    "Signbit",
    "Sinc",
    "Sinh",
    "SliceScatter",
    "Slogdet",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "SoftmaxBackwardData",
    "Softplus",
    "Sort",
    "SortStable",
    "SpecialAiryAi",
    "SpecialBesselJ0",
    "SpecialBesselJ1",
    "SpecialBesselY0",
    "SpecialBesselY1",
    "SpecialChebyshevPolynomialT",
    "SpecialChebyshevPolynomialU",
    "SpecialChebyshevPolynomialV",
    "SpecialChebyshevPolynomialW",
    "SpecialEntr",
    "SpecialErfcx",
    "SpecialHermitePolynomialH",
    "SpecialHermitePolynomialHe",
    "SpecialI0e",
    "SpecialI1",
    "SpecialI1e",
    "SpecialLaguerrePolynomialL",
    "SpecialLegendrePolynomialP",
    "SpecialLogNdtr",
    "SpecialModifiedBesselI0",
    "SpecialModifiedBesselI1",
    "SpecialModifiedBesselK0",
    "SpecialModifiedBesselK1",
    "SpecialNdtr",
    "SpecialNdtri",
    "SpecialScaledModifiedBesselK0",
    "SpecialScaledModifiedBesselK1",
    "SpecialShiftedChebyshevPolynomialT",
    "SpecialShiftedChebyshevPolynomialU",
    "SpecialShiftedChebyshevPolynomialV",
    "SpecialShiftedChebyshevPolynomialW",
    "SpecialSphericalBesselJ0",
    "SpecialXlog1py",
    "SpecialZeta",
    "SplitWithSizesCopy",
    "SqueezeCopy",
    "SqueezeDim",
    "SqueezeDims",
    "Std",
    "StdCorrection",
    "StdMean",
    "StdMeanCorrection",
    "Subtract",
    "SumToSize",
    "Svd",
    "TCopy",
    "Take",
    "TakeAlongDim",
    "Threshold",
    "Tile",
    "Topk",
    "Trace",
    "TransposeCopy",
    "Trapezoid",
    "Trapz",
    "TriangularSolve",
    "TripletMarginLoss",
    "Trunc",
    "UnbindCopy",
    "Unfold",
    "UnfoldCopy",
    "UniqueConsecutive",
    "UnsafeMaskedIndex",
    "UnsafeMaskedIndexPutAccumulate",
    "UnsqueezeCopy",
    "UpsampleBicubic2dAa",
    "UpsampleBicubic2dAaScales",
    "UpsampleBilinear2dAa",
    "UpsampleBilinear2dAaScales",
    "UpsampleNearestExact1d",
    "UpsampleNearestExact2d",
    "UpsampleNearestExact3d",
    "Var",
    "VarCorrection",
    "VarMean",
    "VarMeanCorrection",
    "Vdot",
    "Verification",
    "ViewCopy",
    "Vsplit",
    "Xlogy",
    "XorOperator",
    "acosh",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr",
    "alias_copy",
    "all",
    "all_dim",
    "alpha_dropout",
    "amax",
    "amin",
    "aminmax",
    "and_operator",
    "angle",
    "any",
    "any_dim",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided_copy",
    "as_strided_scatter",
    "asinh",
    "atanh",
    "avg_pool2d",
    "avg_pool3d",
    "baddbmm",
    "batch_norm_with_update_functional",
    "bilinear",
    "binary_cross_entropy",
    "bincount",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "block_diag",
    "cartesian_prod",
    "cdist",
    "channel_shuffle",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk_cat",
    "col2im",
    "column_stack",
    "combinations",
    "convolution",
    "convolution_mode",
    "copy_to",
    "copysign",
    "copysign_scalar",
    "corrcoef",
    "cosh",
    "cosine_embedding_loss",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "cross",
    "cross_entropy_loss",
    "ctc_loss",
    "ctc_loss_tensor",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "deg2rad",
    "det",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_copy",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "divide",
    "dsplit",
    "dstack",
    "embedding",
    "erfc",
    "erfinv",
    "exp2",
    "expand_copy",
    "expm1",
    "export",
    "feature_alpha_dropout",
    "feature_dropout",
    "fft_fftshift",
    "fft_hfft",
    "fft_hfft2",
    "fft_hfftn",
    "fft_ifftshift",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor_divide",
    "fmax",
    "fmin",
    "frac",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "frexp",
    "gather",
    "gcd",
    "geqrf",
    "gradient",
    "greater",
    "greater_equal",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "heaviside",
    "hinge_embedding_loss",
    "histc",
    "histogram",
    "histogram_bins_tensor",
    "hsplit",
    "huber_loss",
    "hypot",
    "i0",
    "igamma",
    "igammac",
    "im2col",
    "index_add",
    "index_copy",
    "index_fill",
    "index_reduce",
    "index_select",
    "inner",
    "instance_norm",
    "inverse",
    "isclose",
    "isin",
    "isneginf",
    "isposinf",
    "isreal",
    "kron",
    "kthvalue",
    "l1_loss",
    "lcm",
    "ldexp",
    "less",
    "less_equal",
    "lgamma",
    "linalg_cholesky",
    "linalg_cholesky_ex",
    "linalg_cond",
    "linalg_det",
    "linalg_diagonal",
    "linalg_eigh",
    "linalg_eigh_factors",
    "linalg_eigvalsh",
    "linalg_householder_product",
    "linalg_inv",
    "linalg_inv_ex",
    "linalg_ldl_factor",
    "linalg_ldl_factor_ex",
    "linalg_ldl_solve",
    "linalg_lstsq",
    "linalg_lu",
    "linalg_lu_factor",
    "linalg_lu_factor_ex",
    "linalg_lu_solve",
    "linalg_matrix_exp",
    "linalg_matrix_norm",
    "linalg_matrix_power",
    "linalg_matrix_rank",
    "linalg_multi_dot",
    "linalg_norm",
    "linalg_pinv",
    "linalg_pinv_of_tensors",
    "linalg_qr",
    "linalg_slogdet",
    "linalg_solve",
    "linalg_solve_ex",
    "linalg_solve_triangular",
    "linalg_svd",
    "linalg_svd_factors",
    "linalg_svdvals",
    "linalg_tensorinv",
    "linalg_tensorsolve",
    "linalg_vander",
    "linalg_vecdot",
    "linalg_vector_norm",
    "log10",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logit",
    "logspace",
    "logsumexp",
    "lu_solve",
    "lu_unpack",
    "lu_with_info",
    "mH",
    "mT",
    "margin_ranking_loss",
    "masked_scatter",
    "masked_select",
    "matrix_H",
    "max_dim",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool2d",
    "max_unpool3d",
    "median",
    "median_dim",
    "meshgrid",
    "min_dim",
    "mode",
    "movedim",
    "msort",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multiply",
    "mvlgamma",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nanmedian_dim",
    "nanquantile",
    "nansum",
    "narrow_copy",
    "native_batch_norm",
    "native_batch_norm_legit_functional",
    "native_dropout_backward",
    "native_group_norm",
    "nextafter",
    "nll_loss_nd",
    "nonzero",
    "nonzero_numpy",
    "nonzero_static",
    "one_hot",
    "or_operator",
    "ormqr",
    "pairwise_distance",
    "pdist",
    "permute",
    "permute_copy",
    "pinverse",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "polygamma",
    "positive",
    "prelu",
    "put",
    "quantile",
    "rad2deg",
    "ravel",
    "real",
    "renorm",
    "repeat",
    "repeat_interleave_self_tensor",
    "repeat_interleave_tensor",
    "rms_norm",
    "roll",
    "rot90",
    "rrelu",
    "safe_softmax",
    "scaled_dot_product_attention",
    "scaled_dot_product_flash_attention_for_cpu",
    "scatter_add",
    "scatter_reduce",
    "scatter_src",
    "scatter_src_reduce",
    "scatter_value",
    "scatter_value_reduce",
    "searchsorted",
    "segment_reduce",
    "select_scatter",
    "sgn",
    "signbit",
    "sinc",
    "sinh",
    "slice_scatter",
    "slogdet",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmax_backward_data",
    "softplus",
    "sort",
    "sort_stable",
    "special_airy_ai",
    "special_bessel_j0",
    "special_bessel_j1",
    "special_bessel_y0",
    "special_bessel_y1",
    "special_chebyshev_polynomial_t",
    "special_chebyshev_polynomial_u",
    "special_chebyshev_polynomial_v",
    "special_chebyshev_polynomial_w",
    "special_entr",
    "special_erfcx",
    "special_hermite_polynomial_h",
    "special_hermite_polynomial_he",
    "special_i0e",
    "special_i1",
    "special_i1e",
    "special_laguerre_polynomial_l",
    "special_legendre_polynomial_p",
    "special_log_ndtr",
    "special_modified_bessel_i0",
    "special_modified_bessel_i1",
    "special_modified_bessel_k0",
    "special_modified_bessel_k1",
    "special_ndtr",
    "special_ndtri",
    "special_scaled_modified_bessel_k0",
    "special_scaled_modified_bessel_k1",
    "special_shifted_chebyshev_polynomial_t",
    "special_shifted_chebyshev_polynomial_u",
    "special_shifted_chebyshev_polynomial_v",
    "special_shifted_chebyshev_polynomial_w",
    "special_spherical_bessel_j0",
    "special_xlog1py",
    "special_zeta",
    "split_with_sizes_copy",
    "squeeze_copy",
    "squeeze_dim",
    "squeeze_dims",
    "std",
    "std_correction",
    "std_mean",
    "std_mean_correction",
    "subtract",
    "sum_to_size",
    "svd",
    "t_copy",
    "take",
    "take_along_dim",
    "threshold",
    "tile",
    "topk",
    "trace",
    "translation_table",
    "transpose_copy",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "triplet_margin_loss",
    "trunc",
    "unbind_copy",
    "unfold",
    "unfold_copy",
    "unique_consecutive",
    "unsafe_masked_index",
    "unsafe_masked_index_put_accumulate",
    "unsqueeze_copy",
    "upsample_bicubic2d_aa",
    "upsample_bicubic2d_aa_scales",
    "upsample_bilinear2d_aa",
    "upsample_bilinear2d_aa_scales",
    "upsample_nearest_exact1d",
    "upsample_nearest_exact2d",
    "upsample_nearest_exact3d",
    "var",
    "var_correction",
    "var_mean",
    "var_mean_correction",
    "vdot",
    "verify",
    "view_copy",
    "vsplit",
    "xlogy",
    "xor_operator",
]
