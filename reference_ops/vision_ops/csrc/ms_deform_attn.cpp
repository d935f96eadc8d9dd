// vision_ops::ms_deform_attn for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#if defined(ONNXOP_CUDA)
#include "../ops/ms_deform_attn.cuh"
#else
#include "../ops/ms_deform_attn.h"
#endif

namespace {

using namespace onnxop;

static_assert(ms_deform_attn_kernel::kName == "vision_ops::ms_deform_attn",
              "the kernel's kName names another operator");

constexpr std::array kArguments{
    Argument{.name = "value", .type = "Tensor"},
    Argument{.name = "spatial_shapes", .type = "Tensor", .dtype = Dtype::int64},
    Argument{.name = "level_start_index", .type = "Tensor", .dtype = Dtype::int64},
    Argument{.name = "sampling_locations", .type = "Tensor"},
    Argument{.name = "attention_weights", .type = "Tensor"},
};

constexpr std::array kResults{
    Result{.name = "output", .grad = "grad"},
};

constexpr std::array kGradients{
    "value",
    "sampling_locations",
    "attention_weights",
};

constexpr Op op{
    .name = "vision_ops::ms_deform_attn",
    .schema =
        "ms_deform_attn(Tensor value, Tensor spatial_shapes, Tensor level_start_index, Tensor "
        "sampling_locations, Tensor attention_weights) -> Tensor",
    .doc =
        "ms_deform_attn(value: torch.Tensor, spatial_shapes: torch.Tensor, level_start_index: "
        "torch.Tensor, sampling_locations: torch.Tensor, attention_weights: torch.Tensor) -> "
        "torch.Tensor\n\nMulti-scale deformable attention: equation 3 of Deformable DETR, arXiv "
        "2010.04159. This calls the CPU kernel directly, without autograd.",
    .domain = "vision_ops",
    .op_type = "ms_deform_attn",
    .version = 1,
    .package = "vision_ops 0.1.0",
    .dtypes = ms_deform_attn_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return ms_deform_attn_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      ms_deform_attn_kernel::compute(arguments...);
    }),
    .gradients = kGradients,
    .backward_schema =
        "ms_deform_attn_backward(Tensor grad, Tensor value, Tensor spatial_shapes, Tensor "
        "level_start_index, Tensor sampling_locations, Tensor attention_weights, bool[] wants) "
        "-> (Tensor, Tensor, Tensor)",
    .backward = backward_of<kArguments, kResults, kGradients>([](const auto&... arguments) {
      ms_deform_attn_kernel::backward(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
