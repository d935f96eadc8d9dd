// asinh::asinh for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#include "asinh.h"

namespace {

using namespace onnxop;

static_assert(asinh_kernel::kName == "asinh::asinh",
              "the kernel's kName names another operator");

constexpr std::array kArguments{
    Argument{.name = "self", .type = "Tensor"},
};

constexpr std::array kResults{
    Result{.name = "output"},
};

constexpr Op op{
    .name = "asinh::asinh",
    .schema = "asinh(Tensor self) -> Tensor",
    .doc =
        "asinh(self: torch.Tensor) -> torch.Tensor\n\nThe inverse hyperbolic sine, element by "
        "element. This calls the CPU kernel directly, without autograd.",
    .domain = "asinh",
    .op_type = "asinh",
    .version = 1,
    .package = "asinh 0.1.0",
    .dtypes = asinh_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .takes_strides = true,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return asinh_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      asinh_kernel::compute(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
