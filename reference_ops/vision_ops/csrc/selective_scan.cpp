// vision_ops::selective_scan for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#include "../ops/selective_scan.h"

namespace {

using namespace onnxop;

static_assert(selective_scan_kernel::kName == "vision_ops::selective_scan",
              "the kernel's kName names another operator");

constexpr std::array kArguments{
    Argument{.name = "u", .type = "Tensor"},
    Argument{.name = "delta", .type = "Tensor", .dtype = kAnyDtype},
    Argument{.name = "A", .type = "Tensor", .dtype = kAnyDtype},
    Argument{.name = "B", .type = "Tensor", .dtype = kAnyDtype},
    Argument{.name = "C", .type = "Tensor", .dtype = kAnyDtype},
    Argument{.name = "D", .type = "Tensor?", .default_value = None(), .dtype = kAnyDtype},
    Argument{.name = "z", .type = "Tensor?", .default_value = None(), .dtype = kAnyDtype},
    Argument{.name = "delta_bias", .type = "Tensor?", .default_value = None(), .dtype = kAnyDtype},
    Argument{.name = "delta_softplus", .type = "bool", .default_value = false},
};

constexpr std::array kResults{
    Result{.name = "output", .grad = "grad"},
};

constexpr std::array kGradients{
    "u",
    "delta",
    "A",
    "B",
    "C",
    "D",
    "z",
    "delta_bias",
};

constexpr Op op{
    .name = "vision_ops::selective_scan",
    .schema =
        "selective_scan(Tensor u, Tensor delta, Tensor A, Tensor B, Tensor C, Tensor? D=None, "
        "Tensor? z=None, Tensor? delta_bias=None, bool delta_softplus=False) -> Tensor",
    .doc =
        "selective_scan(u: torch.Tensor, delta: torch.Tensor, A: torch.Tensor, B: torch.Tensor, "
        "C: torch.Tensor, D: torch.Tensor | None = None, z: torch.Tensor | None = None, "
        "delta_bias: torch.Tensor | None = None, delta_softplus: bool = False) -> "
        "torch.Tensor\n\nThe selective state space of Mamba, algorithm 2 of arXiv 2312.00752.\n\n"
        "In each step, x = exp(delta A) x + delta B u and y = C x + D u.\n\nThe arguments are "
        "those of `mamba_ssm`'s `selective_scan_fn`, in its order: `u`, `delta` and `z`\nare "
        "[batch, channels, length], `A` is [channels, states], `D` and `delta_bias` are "
        "[channels].\n`B` and `C` are [batch, states, length], or [batch, groups, states, "
        "length], where each group of\nchannels has its own. The result has the dtype of `u`. "
        "Dtypes may differ: everything is computed\nin the dtype of `A`, at least in float32, so "
        "`A` has the widest one, as float32 beside bfloat16.\n`torch.autocast` does not change "
        "them. In place of `return_last_state=True`, call\n`selective_scan_with_state`. `A` is "
        "real, and `B` and `C` depend on the input. This calls the CPU kernel directly, without "
        "autograd.",
    .domain = "vision_ops",
    .op_type = "selective_scan",
    .version = 1,
    .package = "vision_ops 0.1.0",
    .dtypes = selective_scan_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return selective_scan_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      selective_scan_kernel::compute(arguments...);
    }),
    .gradients = kGradients,
    .backward_schema =
        "selective_scan_backward(Tensor grad, Tensor u, Tensor delta, Tensor A, Tensor B, Tensor "
        "C, Tensor? D, Tensor? z, Tensor? delta_bias, bool delta_softplus, bool[] wants) -> "
        "(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
    .backward = backward_of<kArguments, kResults, kGradients>([](const auto&... arguments) {
      selective_scan_kernel::backward(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
