// vision_ops::carafe for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#include "../ops/carafe.h"

namespace {

using namespace onnxop;

static_assert(carafe_kernel::kName == "vision_ops::carafe",
              "the kernel's kName names another operator");

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
    .schema =
        "carafe(Tensor features, Tensor masks, int kernel_size, int group_size, int "
        "scale_factor) -> Tensor",
    .doc =
        "carafe(features: torch.Tensor, masks: torch.Tensor, kernel_size: int, group_size: int, "
        "scale_factor: int) -> torch.Tensor\n\nContent-aware reassembly of features, an "
        "upsampling: equation 4 of CARAFE, arXiv 1905.02188.\n\nThe masks are taken as they are "
        "given, without a softmax. This calls the CPU kernel directly, without autograd.",
    .domain = "vision_ops",
    .op_type = "carafe",
    .version = 1,
    .package = "vision_ops 0.1.0",
    .dtypes = carafe_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return carafe_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      carafe_kernel::compute(arguments...);
    }),
    .gradients = kGradients,
    .backward_schema =
        "carafe_backward(Tensor grad, Tensor features, Tensor masks, int kernel_size, int "
        "group_size, int scale_factor, bool[] wants) -> (Tensor, Tensor)",
    .backward = backward_of<kArguments, kResults, kGradients>([](const auto&... arguments) {
      carafe_kernel::backward(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
