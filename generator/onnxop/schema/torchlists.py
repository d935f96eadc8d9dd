"""The functions, methods and properties of PyTorch that a spec's code may use: lists written by
hand.

They compute results of tensors and numbers, or make new tensors. No name on them reads or writes a
file, starts or reaches a process, gives the memory behind a tensor, calls back into Python objects,
or changes PyTorch's settings. A test compares the lists with `torch.overrides`, and tries each name
in the installed PyTorch.
"""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS_OF_TENSORS = _names(
    """
    abs absolute acos acosh adaptive_avg_pool1d adaptive_max_pool1d add addbmm addcdiv addcmul addmm
    addmv addr adjoint affine_grid_generator alias_copy all allclose amax amin aminmax angle any
    arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere as_strided
    as_strided_scatter asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d avg_pool1d
    baddbmm batch_norm bilinear binary_cross_entropy_with_logits bincount bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor block_diag bmm
    broadcast_tensors broadcast_to bucketize cartesian_prod cat ccol_indices_copy cdist ceil celu
    chain_matmul channel_shuffle cholesky_inverse cholesky_solve chunk clamp clamp_max clamp_min
    clip clone col_indices_copy column_stack combinations concat concatenate conj conj_physical
    constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
    convolution copysign corrcoef cos cosh cosine_embedding_loss cosine_similarity count_nonzero cov
    cross crow_indices_copy ctc_loss cummax cummin cumprod cumsum cumulative_trapezoid deg2rad
    dequantize det detach detach_copy diag diag_embed diagflat diagonal diagonal_copy
    diagonal_scatter diff digamma dist div divide dot dsplit dstack einsum embedding embedding_bag
    eq equal erf erfc erfinv exp exp2 expand_copy expm1 fake_quantize_per_channel_affine
    fake_quantize_per_tensor_affine fill fix flatten flip fliplr flipud float_power floor
    floor_divide fmax fmin fmod frac frexp frobenius_norm gather gcd ge geqrf ger get_device
    gradient greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru
    gru_cell gt hardshrink hash_tensor heaviside hinge_embedding_loss histc histogram histogramdd
    hsplit hstack hypot i0 igamma igammac imag index_add index_copy index_fill index_put
    index_reduce index_select indices_copy inner instance_norm int_repr inverse is_complex is_conj
    is_floating_point is_inference is_neg is_nonzero is_signed isclose isfinite isin isinf isnan
    isneginf isposinf isreal istft kl_div kron kthvalue layer_norm lcm ldexp le lerp less less_equal
    lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and
    logical_not logical_or logical_xor logit logsumexp lstm lstm_cell lt lu lu_solve lu_unpack
    margin_ranking_loss masked_fill masked_scatter masked_select matmul matrix_exp matrix_power max
    max_pool1d max_pool1d_with_indices max_pool2d max_pool3d maximum mean median meshgrid min
    minimum mm mode moveaxis movedim msort mul multiply mv mvlgamma nan_to_num nanmean nanmedian
    nanquantile nansum narrow narrow_copy native_batch_norm native_channel_shuffle native_group_norm
    native_layer_norm ne neg negative nextafter nonzero nonzero_static norm not_equal nuclear_norm
    numel orgqr ormqr outer pairwise_distance pca_lowrank pdist permute permute_copy pinverse
    pixel_shuffle pixel_unshuffle poisson_nll_loss polygamma positive pow prelu prod put quantile
    quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic rad2deg ravel real
    reciprocal relu remainder renorm repeat_interleave reshape resolve_conj resolve_neg rms_norm
    rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll rot90 round row_indices_copy row_stack rsqrt
    rsub scatter scatter_add scatter_reduce searchsorted select select_copy select_scatter selu sgn
    sigmoid sign signbit sin sinc sinh slice_copy slice_inverse slice_scatter slogdet softmax sort
    split split_copy split_with_sizes split_with_sizes_copy sqrt square squeeze squeeze_copy stack
    std std_mean stft sub subtract sum svd svd_lowrank swapaxes swapdims t t_copy take
    take_along_dim tan tanh tensor_split tensordot threshold tile topk trace transpose
    transpose_copy trapezoid trapz triangular_solve tril triplet_margin_loss triu true_divide trunc
    unbind unbind_copy unflatten unfold_copy unique unique_consecutive unravel_index unsafe_chunk
    unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy values_copy var var_mean vdot
    view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy vsplit vstack
    where xlogy
    """
)

FACTORIES = _names(
    """
    arange as_tensor asarray bartlett_window blackman_window complex empty empty_like empty_permuted
    empty_strided eye full full_like hamming_window hann_window kaiser_window linspace logspace ones
    ones_like polar range scalar_tensor sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor
    sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor tensor tril_indices triu_indices vander
    zeros zeros_like
    """
)

QUESTIONS = _names(
    """
    broadcast_shapes can_cast get_default_dtype is_grad_enabled is_inference_mode_enabled is_tensor
    promote_types result_type sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum
    typename
    """
)

RANDOM = _names(
    """
    alpha_dropout bernoulli binomial dropout feature_alpha_dropout feature_dropout multinomial
    native_dropout normal poisson rand rand_like randint randint_like randn randn_like randperm
    rrelu
    """
)

FUNCTIONAL = _names(
    """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool1d_with_indices adaptive_max_pool2d adaptive_max_pool2d_with_indices
    adaptive_max_pool3d adaptive_max_pool3d_with_indices affine_grid alpha_dropout avg_pool1d
    avg_pool2d avg_pool3d batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits
    celu channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
    conv_transpose3d cosine_embedding_loss cosine_similarity cross_entropy ctc_loss dropout
    dropout1d dropout2d dropout3d elu embedding embedding_bag feature_alpha_dropout fold
    fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d
    fractional_max_pool3d_with_indices gaussian_nll_loss gelu glu grid_sample group_norm grouped_mm
    gumbel_softmax hardshrink hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss
    instance_norm interpolate kl_div l1_loss layer_norm leaky_relu linear linear_cross_entropy
    local_response_norm log_softmax logsigmoid lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss
    max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d
    max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d mish mse_loss
    multi_head_attention_forward multi_margin_loss multilabel_margin_loss
    multilabel_soft_margin_loss native_channel_shuffle nll_loss normalize one_hot pad
    pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu6 rms_norm
    rrelu scaled_addmm scaled_dot_product_attention scaled_grouped_mm scaled_mm selu sigmoid silu
    smooth_l1_loss soft_margin_loss softmax softmin softplus softshrink softsign tanh tanhshrink
    threshold triplet_margin_loss triplet_margin_with_distance_loss unfold upsample
    upsample_bilinear upsample_nearest
    """
)

METHODS = _names(
    """
    abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr adjoint all allclose amax
    amin aminmax angle any arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin
    argsort argwhere as_strided as_strided_scatter asin asinh atan atan2 atanh baddbmm bernoulli
    bfloat16 bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor bmm bool broadcast_to byte ccol_indices ceil chalf char cholesky_inverse
    cholesky_solve chunk clamp clamp_max clamp_min clip clone coalesce col_indices conj
    conj_physical contiguous copysign corrcoef cos cosh count_nonzero cov cpu cross crow_indices
    cummax cummin cumprod cumsum deg2rad dense_dim dequantize det detach diag diag_embed diagflat
    diagonal diagonal_scatter diff digamma dim dim_order dist div divide dot double dsplit
    element_size eq equal erf erfc erfinv exp exp2 expand expand_as expm1 fix flatten flip fliplr
    flipud float float_power floor floor_divide fmax fmin fmod frac frexp gather gcd ge geqrf ger
    get_device greater greater_equal gt half hardshrink heaviside histc histogram hsplit hypot i0
    igamma igammac index index_add index_copy index_fill index_put index_reduce index_select indices
    inner int int_repr inverse is_coalesced is_complex is_conj is_contiguous is_floating_point
    is_inference is_neg is_nonzero is_same_size is_signed isclose isfinite isinf isnan isneginf
    isposinf isreal istft item kron kthvalue lcm ldexp le lerp less less_equal lgamma log log10
    log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not
    logical_or logical_xor logit logsumexp long lt lu_solve masked_fill masked_scatter masked_select
    matmul matrix_exp matrix_power max maximum mean median min minimum mm mode moveaxis movedim
    msort mul multinomial multiply mv mvlgamma nan_to_num nanmean nanmedian nanquantile nansum
    narrow narrow_copy ndimension ne neg negative nelement new_empty new_empty_strided new_full
    new_ones new_tensor new_zeros nextafter nonzero nonzero_static norm not_equal numel orgqr ormqr
    outer permute pinverse polygamma positive pow prelu prod put quantile rad2deg ravel reciprocal
    relu remainder renorm repeat repeat_interleave reshape reshape_as resolve_conj resolve_neg roll
    rot90 round row_indices rsqrt scatter scatter_add scatter_reduce select select_scatter sgn short
    sigmoid sign signbit sin sinc sinh size slice_inverse slice_scatter slogdet smm softmax sort
    sparse_dim sparse_mask split split_with_sizes sqrt square squeeze sspaddmm std stft
    storage_offset stride sub subtract sum sum_to_size svd swapaxes swapdims t take take_along_dim
    tan tanh tensor_split tile to to_dense to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr
    to_sparse_coo to_sparse_csc to_sparse_csr tolist topk trace transpose triangular_solve tril triu
    true_divide trunc type type_as unbind unflatten unfold unique unique_consecutive unsafe_chunk
    unsafe_split unsafe_split_with_sizes unsqueeze values var vdot view view_as vsplit where xlogy
    """
)

IN_PLACE = _names(
    """
    abs_ absolute_ acos_ acosh_ add_ addbmm_ addcdiv_ addcmul_ addmm_ addmv_ addr_ arccos_ arccosh_
    arcsin_ arcsinh_ arctan2_ arctan_ arctanh_ asin_ asinh_ atan2_ atan_ atanh_ baddbmm_ bernoulli_
    bitwise_and_ bitwise_left_shift_ bitwise_not_ bitwise_or_ bitwise_right_shift_ bitwise_xor_
    cauchy_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ copy_ copysign_ cos_ cosh_
    cumprod_ cumsum_ deg2rad_ detach_ digamma_ div_ divide_ eq_ erf_ erfc_ erfinv_ exp2_ exp_ expm1_
    exponential_ fill_ fill_diagonal_ fix_ float_power_ floor_ floor_divide_ fmod_ frac_ gcd_ ge_
    geometric_ greater_ greater_equal_ gt_ heaviside_ hypot_ i0_ igamma_ igammac_ index_add_
    index_copy_ index_fill_ index_put_ index_reduce_ lcm_ ldexp_ le_ lerp_ less_ less_equal_ lgamma_
    log10_ log1p_ log2_ log_ log_normal_ logical_and_ logical_not_ logical_or_ logical_xor_ logit_
    lt_ masked_fill_ masked_scatter_ mul_ multiply_ mvlgamma_ nan_to_num_ ne_ neg_ negative_
    nextafter_ normal_ not_equal_ polygamma_ pow_ put_ rad2deg_ random_ reciprocal_ relu_ remainder_
    renorm_ requires_grad_ round_ rsqrt_ scatter_ scatter_add_ scatter_reduce_ sgn_ sigmoid_ sign_
    sin_ sinc_ sinh_ sqrt_ square_ squeeze_ sub_ subtract_ swapaxes_ swapdims_ t_ tan_ tanh_
    transpose_ tril_ triu_ true_divide_ trunc_ uniform_ unsqueeze_ xlogy_ zero_
    """
)

SPECIAL = _names(
    """
    airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t chebyshev_polynomial_u
    chebyshev_polynomial_v chebyshev_polynomial_w digamma entr erf erfc erfcx erfinv exp2 expit
    expm1 gammainc gammaincc gammaln hermite_polynomial_h hermite_polynomial_he i0 i0e i1 i1e
    laguerre_polynomial_l legendre_polynomial_p log1p log_ndtr log_softmax logit logsumexp
    modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr
    ndtri polygamma psi round scaled_modified_bessel_k0 scaled_modified_bessel_k1
    shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
    shifted_chebyshev_polynomial_w sinc softmax spherical_bessel_j0 xlog1py xlogy zeta
    """
)

LINALG = _names(
    """
    cholesky cholesky_ex cond cross det diagonal eig eigh eigvals eigvalsh householder_product inv
    inv_ex ldl_factor ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve matmul
    matrix_exp matrix_norm matrix_power matrix_rank matrix_sqrth multi_dot norm pinv polar qr
    slogdet solve solve_ex solve_triangular svd svdvals tensorinv tensorsolve vander vecdot
    vector_norm
    """
)

FFT = _names(
    """
    fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn
    irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn
    """
)

ATEN = _names(
    """
    adaptive_max_pool2d_backward adaptive_max_pool3d_backward affine_grid_generator_backward alias
    avg_pool2d_backward avg_pool3d_backward binary_cross_entropy_backward col2im conv_depthwise3d
    conv_tbc_backward convolution_backward copy cross_entropy_loss cummaxmin_backward
    cumprod_backward diagonal_backward elu_backward embedding_backward embedding_dense_backward
    embedding_sparse_backward fake_quantize_per_channel_affine_cachemask
    fake_quantize_per_channel_affine_cachemask_backward fake_quantize_per_tensor_affine_cachemask
    fake_quantize_per_tensor_affine_cachemask_backward flatten_dense_tensors
    fractional_max_pool2d_backward fractional_max_pool3d_backward gather_backward gelu_backward
    glu_backward glu_backward_jvp glu_jvp grid_sampler_2d_backward grid_sampler_3d_backward
    hardshrink_backward hardsigmoid_backward hardswish_backward hardtanh_backward
    huber_loss_backward im2col index_select_backward infinitely_differentiable_gelu_backward
    leaky_relu_backward linear_backward log_sigmoid log_sigmoid_backward log_sigmoid_forward
    logit_backward masked_scatter_backward masked_select_backward matmul_backward
    matrix_exp_backward max_pool2d_backward max_pool2d_with_indices_backward
    max_pool3d_with_indices_backward mish_backward mse_loss_backward multi_margin_loss_backward
    multilabel_margin_loss_backward multilabel_margin_loss_forward native_batch_norm_backward
    native_dropout_backward native_group_norm_backward native_layer_norm_backward nll_loss2d
    nll_loss2d_backward nll_loss2d_forward nll_loss_backward nll_loss_forward nll_loss_nd
    normal_functional pad_sequence reflection_pad1d reflection_pad1d_backward reflection_pad2d
    reflection_pad2d_backward reflection_pad3d reflection_pad3d_backward replication_pad1d
    replication_pad1d_backward replication_pad2d replication_pad2d_backward replication_pad3d
    replication_pad3d_backward rrelu_with_noise_backward select_backward sigmoid_backward
    silu_backward slice slice_backward slow_conv3d slow_conv3d_forward slow_conv_dilated2d
    slow_conv_dilated3d slow_conv_transpose2d slow_conv_transpose3d smooth_l1_loss_backward
    soft_margin_loss_backward softplus_backward softshrink_backward sparse_sampled_addmm
    tanh_backward threshold_backward to_dense_backward to_mkldnn_backward trace_backward
    unflatten_dense_tensors unfold_backward unique_dim unique_dim_consecutive upsample_bicubic2d
    upsample_bicubic2d_backward upsample_bilinear2d upsample_bilinear2d_backward upsample_linear1d
    upsample_linear1d_backward upsample_nearest1d upsample_nearest1d_backward upsample_nearest2d
    upsample_nearest2d_backward upsample_nearest3d upsample_nearest3d_backward upsample_trilinear3d
    upsample_trilinear3d_backward value_selecting_reduction_backward
    """
)

FUNCTIONS = FUNCTIONS_OF_TENSORS | FACTORIES | QUESTIONS | RANDOM | frozenset({"vmap"})
"""The functions of torch itself."""

CLASSES = _names(
    """
    SymBool SymFloat SymInt Size Tensor device dtype finfo iinfo layout memory_format
    """
)
"""The types of values, for ``isinstance`` and for calls."""

CONTEXTS = _names("autocast enable_grad inference_mode no_grad")
"""The contexts of a ``with``, which undo at its end what they set."""

CONSTANTS = _names(
    """
    pi e inf nan newaxis float16 bfloat16 float32 float64 float double half int8 int16 int32 int64
    int long short uint8 uint16 uint32 uint64 bool complex32 complex64 complex128 cfloat cdouble
    strided contiguous_format preserve_format channels_last channels_last_3d
    """
)

PROPERTIES = _names(
    """
    H T dtype device imag is_complex is_cpu is_cuda is_floating_point is_meta is_quantized is_signed
    is_sparse itemsize layout mH mT nbytes ndim real requires_grad shape
    """
)
"""The properties of tensors and dtypes."""

LIMITS = _names("bits eps max min resolution smallest_normal tiny")
"""The properties of ``finfo`` and ``iinfo``."""

RESULTS = _names(
    """
    H L LD LU P Q R S U V Vh a bin_edges eigenvalues eigenvectors exponent hist indices info inverse
    logabsdet mantissa max min pivots rank residuals sign singular_values solution tau values
    """
)
"""The fields of functions' results."""

OF_PYTHON = _names(
    """
    add append bit_length conjugate copy count denominator discard endswith extend get index insert
    intersection is_integer isdigit issubset items join keys lower lstrip numerator pop remove
    replace reverse rstrip setdefault sort split start startswith step stop strip type union update
    upper
    """
)
"""The methods and properties of numbers, lists, dictionaries, sets, slices and texts; ``type`` is a
device's.
"""

OF_MATH = _names(
    """
    acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf erfc
    exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose isfinite isinf
    isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi pow prod radians
    remainder sin sinh sqrt tan tanh tau trunc ulp
    """
)

MEMBERS: dict[str, frozenset[str]] = {
    "math": OF_MATH,
    "torch": FUNCTIONS | CLASSES | CONTEXTS | CONSTANTS,
    "torch.Tensor": METHODS | IN_PLACE,
    "torch.amp": frozenset({"autocast"}),
    "torch.autograd": frozenset({"grad"}),
    "torch.compiler": _names("is_compiling is_dynamo_compiling is_exporting"),
    "torch.fft": FFT,
    "torch.func": _names(
        "functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize vjp vmap"
    ),
    "torch.jit": _names("is_scripting is_tracing"),
    "torch.linalg": LINALG,
    "torch.nn.functional": FUNCTIONAL,
    "torch.onnx": frozenset({"is_in_onnx_export"}),
    "torch.signal.windows": _names(
        "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming "
        "hann kaiser nuttall"
    ),
    "torch.sparse": _names("addmm log_softmax mm softmax sum"),
    "torch.special": SPECIAL,
    "torchvision.ops": _names(
        """
        batched_nms box_area box_convert box_iou clip_boxes_to_image complete_box_iou
        complete_box_iou_loss deform_conv2d distance_box_iou distance_box_iou_loss
        generalized_box_iou generalized_box_iou_loss masks_to_boxes nms ps_roi_align ps_roi_pool
        remove_small_boxes roi_align roi_pool sigmoid_focal_loss
        """
    ),
}
"""The members of each module, and of Tensor, that a dotted path may end with."""
