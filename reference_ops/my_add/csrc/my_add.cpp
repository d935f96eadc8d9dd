// my_lib::my_add for PyTorch, Python and ONNX Runtime: its names, arguments and results.
#include <onnxop/op.h>

#include "my_add.h"

namespace onnxop::my_add_op {
namespace {

// Qualified, so that lookup cannot find another kName.
static_assert(my_add_op::kName == "my_lib::my_add", "the kernel's kName is another operator's");

constexpr std::array kArguments{
    Argument{.name = "a", .type = "Tensor"},
    Argument{.name = "b", .type = "Tensor"},
};

constexpr std::array kResults{
    Result{.name = "output"},
};

constexpr Op op{
    .name = "my_lib::my_add",
    .schema = "my_add(Tensor a, Tensor b) -> Tensor",
    .doc = "my_add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor\n\n2a + b, element by element. Calls the CPU kernel itself, without autograd.",
    .domain = "my_lib",
    .op_type = "my_add",
    .version = 1,
    .package = "my_add 0.1.0",
    .dtypes = my_add_op::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .takes_strides = true,
    .infer = infer_of<kArguments>([](const auto&... arguments) { return my_add_op::infer(arguments...); }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) { my_add_op::compute(arguments...); }),
};

const Registration<op> registration;

}  // namespace
}  // namespace onnxop::my_add_op
