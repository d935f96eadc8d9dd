// vision_ops::carafe for PyTorch, Python and ONNX Runtime: what it is called, takes and gives.
#include <onnxop/op.h>

#include "../ops/carafe.h"

namespace onnxop::carafe_op {
namespace {

// By its namespace, so that no other kName stands in for the kernel's.
static_assert(carafe_op::kName == "vision_ops::carafe", "the kernel's kName is another operator's");

constexpr std::array kArguments{
    Argument{.name = "features", .type = "Tensor"},
    Argument{.name = "masks", .type = "Tensor"},
    Argument{.name = "kernel_size", .type = "int"},
    Argument{.name = "group_size", .type = "int"},
    Argument{.name = "scale_factor", .type = "int"},
};

constexpr std::array kResults{
    Result{.name = "output", .grad = "grad"},
};

constexpr std::array kGradients{
    "features",
    "masks",
};

constexpr Op op{
    .name = "vision_ops::carafe",
    .schema = "carafe(Tensor features, Tensor masks, int kernel_size, int group_size, int scale_factor) -> Tensor",
    .doc = "carafe(features: torch.Tensor, masks: torch.Tensor, kernel_size: int, group_size: int, scale_factor: int) -> torch.Tensor\n\nContent-aware reassembly of features, an upsampling: equation 4 of CARAFE, arXiv 1905.02188; masks as they are given. Calls the CPU kernel itself, without autograd.",
    .domain = "vision_ops",
    .op_type = "carafe",
    .version = 1,
    .package = "vision_ops 0.1.0",
    .dtypes = carafe_op::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... given) { return carafe_op::infer(given...); }),
    .compute = compute_of<kArguments, kResults>([](const auto&... given) { carafe_op::compute(given...); }),
    .gradients = kGradients,
    .backward_schema = "carafe_backward(Tensor grad, Tensor features, Tensor masks, int kernel_size, int group_size, int scale_factor, bool[] wants) -> (Tensor, Tensor)",
    .backward = backward_of<kArguments, kResults, kGradients>([](const auto&... given) { carafe_op::backward(given...); }),
};

const Registration<op> registration;

}  // namespace
}  // namespace onnxop::carafe_op
