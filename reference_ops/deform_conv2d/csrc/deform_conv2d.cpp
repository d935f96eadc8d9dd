// deform_conv2d::deform_conv2d for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#include "../ops/kernel.h"

namespace {

using namespace onnxop;

static_assert(deform_conv2d_kernel::kName == "deform_conv2d::deform_conv2d",
              "the kernel's kName names another operator");

constexpr std::array kArguments{
    Argument{.name = "input", .type = "Tensor"},
    Argument{.name = "weight", .type = "Tensor"},
    Argument{.name = "offset", .type = "Tensor"},
    Argument{.name = "mask", .type = "Tensor"},
    Argument{.name = "bias", .type = "Tensor"},
    Argument{.name = "stride_h", .type = "SymInt"},
    Argument{.name = "stride_w", .type = "SymInt"},
    Argument{.name = "pad_h", .type = "SymInt"},
    Argument{.name = "pad_w", .type = "SymInt"},
    Argument{.name = "dilation_h", .type = "SymInt"},
    Argument{.name = "dilation_w", .type = "SymInt"},
    Argument{.name = "groups", .type = "SymInt"},
    Argument{.name = "offset_groups", .type = "SymInt"},
    Argument{.name = "use_mask", .type = "bool"},
};

constexpr std::array kResults{
    Result{.name = "output", .grad = "grad"},
};

constexpr std::array kGradients{
    "input",
    "weight",
    "offset",
    "mask",
    "bias",
};

constexpr Op op{
    .name = "deform_conv2d::deform_conv2d",
    .schema =
        "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
        "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt "
        "dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor",
    .doc =
        "deform_conv2d(input: torch.Tensor, weight: torch.Tensor, offset: torch.Tensor, mask: "
        "torch.Tensor, bias: torch.Tensor, stride_h: int, stride_w: int, pad_h: int, pad_w: int, "
        "dilation_h: int, dilation_w: int, groups: int, offset_groups: int, use_mask: bool) -> "
        "torch.Tensor\n\nDeformable convolution: a convolution whose samples lie at offsets, as "
        "in torchvision.\n\nWhere a sample lies exactly at row or column -1, its offset has two "
        "one-sided gradients. The\ngradient here is torchvision's, that of the side of the "
        "image; in mmcv it is 0. A deformable\nconvolution starts there: its offsets are 0, and "
        "with a padding of 1 the samples of the border\nlie at -1. This calls the CPU kernel "
        "directly, without autograd.",
    .domain = "deform_conv2d",
    .op_type = "deform_conv2d",
    .version = 1,
    .package = "deform_conv2d 0.1.0",
    .dtypes = deform_conv2d_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return deform_conv2d_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      deform_conv2d_kernel::compute(arguments...);
    }),
    .gradients = kGradients,
    .backward_schema =
        "deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor "
        "mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt "
        "dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask, "
        "bool[] wants) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    .backward = backward_of<kArguments, kResults, kGradients>([](const auto&... arguments) {
      deform_conv2d_kernel::backward(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
