// The selective scan from a given state, with the state after it: selective_scan.h has the
// arithmetic.
#pragma once

#include "selective_scan.h"

namespace selective_scan_with_state_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "vision_ops::selective_scan_with_state";
using Supported = FloatTypes;

inline std::array<OutputSpec, 2> infer(const TensorMeta& u, const TensorMeta& delta,
                                       const TensorMeta& A, const TensorMeta& B,
                                       const TensorMeta& C, const std::optional<TensorMeta>& D,
                                       const std::optional<TensorMeta>& z,
                                       const std::optional<TensorMeta>& delta_bias, bool,
                                       const std::optional<TensorMeta>& initial_state) {
  selective_scan_kernel::check(kName, u, delta, A, B, C, D, z, delta_bias);
  const std::vector<Size> state{u.sizes[0], u.sizes[1], A.sizes[1]};
  if (initial_state) {
    selective_scan_kernel::check_dtype(kName, A, *initial_state);
    selective_scan_kernel::check_shape(kName, *initial_state, state);
  }
  return {OutputSpec{u.dtype, {u.sizes.begin(), u.sizes.end()}}, OutputSpec{A.dtype, state}};
}

inline void compute(const MutableTensorView& out, const MutableTensorView& last_state,
                    const TensorView& u, const TensorView& delta, const TensorView& A,
                    const TensorView& B, const TensorView& C, const std::optional<TensorView>& D,
                    const std::optional<TensorView>& z, const std::optional<TensorView>& delta_bias,
                    bool delta_softplus, const std::optional<TensorView>& initial_state,
                    const ParallelFor& parallel_for) {
  selective_scan_kernel::run(out, last_state,
                             {u, delta, A, B, C, D, z, delta_bias, delta_softplus, initial_state},
                             parallel_for);
}

inline void backward(
    const std::optional<MutableTensorView>& grad_u,
    const std::optional<MutableTensorView>& grad_delta,
    const std::optional<MutableTensorView>& grad_A, const std::optional<MutableTensorView>& grad_B,
    const std::optional<MutableTensorView>& grad_C, const std::optional<MutableTensorView>& grad_D,
    const std::optional<MutableTensorView>& grad_z,
    const std::optional<MutableTensorView>& grad_delta_bias,
    const std::optional<MutableTensorView>& grad_initial_state, const TensorView& grad_out,
    const TensorView& grad_last_state, const TensorView& u, const TensorView& delta,
    const TensorView& A, const TensorView& B, const TensorView& C,
    const std::optional<TensorView>& D, const std::optional<TensorView>& z,
    const std::optional<TensorView>& delta_bias, bool delta_softplus,
    const std::optional<TensorView>& initial_state, const ParallelFor& parallel_for) {
  selective_scan_kernel::differentiate(
      {grad_u, grad_delta, grad_A, grad_B, grad_C, grad_D, grad_z, grad_delta_bias,
       grad_initial_state},
      grad_out, grad_last_state,
      {u, delta, A, B, C, D, z, delta_bias, delta_softplus, initial_state}, parallel_for);
}

}  // namespace selective_scan_with_state_kernel
