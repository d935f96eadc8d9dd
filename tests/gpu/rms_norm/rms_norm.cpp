// my_lib::rms_norm for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#include "../ops/rms_norm.h"

namespace {

using namespace onnxop;

static_assert(rms_norm_kernel::kName == "my_lib::rms_norm",
              "the kernel's kName names another operator");

constexpr std::array kArguments{
    Argument{.name = "x", .type = "Tensor"},
    Argument{.name = "weight", .type = "Tensor"},
    Argument{.name = "eps", .type = "float", .default_value = 1e-06},
};

constexpr std::array kResults{
    Result{.name = "output", .grad = "grad"},
};

constexpr std::array kGradients{
    "x",
    "weight",
};

constexpr Op op{
    .name = "my_lib::rms_norm",
    .schema = "rms_norm(Tensor x, Tensor weight, float eps=1e-06) -> Tensor",
    .doc =
        "rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-06) -> torch.Tensor\n\n"
        "Rows over their root mean square, times the weight, as torch.nn.functional.rms_norm has "
        "them. This calls the CPU kernel directly, without autograd.",
    .domain = "my_lib",
    .op_type = "rms_norm",
    .version = 1,
    .package = "rms_norm 0.1.0",
    .dtypes = rms_norm_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return rms_norm_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      rms_norm_kernel::compute(arguments...);
    }),
    .gradients = kGradients,
    .backward_schema =
        "rms_norm_backward(Tensor grad, Tensor x, Tensor weight, float eps, bool[] wants) -> "
        "(Tensor, Tensor)",
    .backward = backward_of<kArguments, kResults, kGradients>([](const auto&... arguments) {
      rms_norm_kernel::backward(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
