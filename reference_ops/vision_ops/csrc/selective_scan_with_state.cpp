// vision_ops::selective_scan_with_state for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#include "../ops/selective_scan_with_state.h"

namespace {

using namespace onnxop;

static_assert(selective_scan_with_state_kernel::kName == "vision_ops::selective_scan_with_state",
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
    Argument{
        .name = "initial_state",
        .type = "Tensor?",
        .default_value = None(),
        .dtype = kAnyDtype},
};

constexpr std::array kResults{
    Result{.name = "out", .grad = "grad_out"},
    Result{.name = "last_state", .dtype = kAnyDtype, .grad = "grad_last_state"},
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
    "initial_state",
};

constexpr Op op{
    .name = "vision_ops::selective_scan_with_state",
    .schema =
        "selective_scan_with_state(Tensor u, Tensor delta, Tensor A, Tensor B, Tensor C, Tensor? "
        "D=None, Tensor? z=None, Tensor? delta_bias=None, bool delta_softplus=False, Tensor? "
        "initial_state=None) -> (Tensor out, Tensor last_state)",
    .doc =
        "selective_scan_with_state(u: torch.Tensor, delta: torch.Tensor, A: torch.Tensor, B: "
        "torch.Tensor, C: torch.Tensor, D: torch.Tensor | None = None, z: torch.Tensor | None = "
        "None, delta_bias: torch.Tensor | None = None, delta_softplus: bool = False, "
        "initial_state: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]\n\n"
        "`selective_scan` from a given state, with the state after the last step.\n\nA state is "
        "[batch, channels, states], in the dtype of `A`; the first one is zeros by default.\nThe "
        "operator is `mamba_ssm`'s `selective_scan_fn(..., return_last_state=True)`, and with a\n"
        "length of 1 its `selective_state_update`. Scans of the parts of a sequence, each from "
        "the last\nstate of the one before, give the scan of the whole. Both results have "
        "gradients; mamba_ssm's\n`last_state` has none. This calls the CPU kernel directly, "
        "without autograd.",
    .domain = "vision_ops",
    .op_type = "selective_scan_with_state",
    .version = 1,
    .package = "vision_ops 0.1.0",
    .dtypes = selective_scan_with_state_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return selective_scan_with_state_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      selective_scan_with_state_kernel::compute(arguments...);
    }),
    .gradients = kGradients,
    .backward_schema =
        "selective_scan_with_state_backward(Tensor grad_out, Tensor grad_last_state, Tensor u, "
        "Tensor delta, Tensor A, Tensor B, Tensor C, Tensor? D, Tensor? z, Tensor? delta_bias, "
        "bool delta_softplus, Tensor? initial_state, bool[] wants) -> (Tensor, Tensor, Tensor, "
        "Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
    .backward = backward_of<kArguments, kResults, kGradients>([](const auto&... arguments) {
      selective_scan_with_state_kernel::backward(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
