// Registers deform_conv2d::deform_conv2d with PyTorch's dispatcher, through libtorch's stable ABI.
#include "torch_binding.h"

#include <torch/csrc/stable/library.h>

#include <tuple>
#include <vector>

#include "kernel.h"
#include "torch_dense.h"

namespace op {

Tensor call(const Tensor& input,
            const Tensor& weight,
            const Tensor& offset,
            const Tensor& mask,
            const Tensor& bias,
            int64_t stride_h,
            int64_t stride_w,
            int64_t pad_h,
            int64_t pad_w,
            int64_t dilation_h,
            int64_t dilation_w,
            int64_t groups,
            int64_t offset_groups,
            bool use_mask) {
  const auto input_dense = dense(kName, "input", input);
  const auto weight_dense = dense(kName, "weight", weight);
  const auto offset_dense = dense(kName, "offset", offset);
  const auto mask_dense = dense(kName, "mask", mask);
  const auto bias_dense = dense(kName, "bias", bias);
  const TensorSpec spec = concrete(
      kName,
      infer(meta_of(input_dense),
            meta_of(weight_dense),
            meta_of(offset_dense),
            meta_of(mask_dense),
            meta_of(bias_dense),
            stride_h,
            stride_w,
            pad_h,
            pad_w,
            dilation_h,
            dilation_w,
            groups,
            offset_groups,
            use_mask));
  Tensor output = allocate(spec);
  compute(output_view(output, spec),
          view_of(input_dense),
          view_of(weight_dense),
          view_of(offset_dense),
          view_of(mask_dense),
          view_of(bias_dense),
          stride_h,
          stride_w,
          pad_h,
          pad_w,
          dilation_h,
          dilation_w,
          groups,
          offset_groups,
          use_mask,
          torch_parallel_for);
  return output;
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> call_backward(const Tensor& grad,
                                                                 const Tensor& input,
                                                                 const Tensor& weight,
                                                                 const Tensor& offset,
                                                                 const Tensor& mask,
                                                                 const Tensor& bias,
                                                                 int64_t stride_h,
                                                                 int64_t stride_w,
                                                                 int64_t pad_h,
                                                                 int64_t pad_w,
                                                                 int64_t dilation_h,
                                                                 int64_t dilation_w,
                                                                 int64_t groups,
                                                                 int64_t offset_groups,
                                                                 bool use_mask,
                                                                 const std::vector<bool>& wants) {
  const auto input_dense = dense(kName, "input", input);
  const auto weight_dense = dense(kName, "weight", weight);
  const auto offset_dense = dense(kName, "offset", offset);
  const auto mask_dense = dense(kName, "mask", mask);
  const auto bias_dense = dense(kName, "bias", bias);
  const TensorSpec spec = concrete(
      kName,
      infer(meta_of(input_dense),
            meta_of(weight_dense),
            meta_of(offset_dense),
            meta_of(mask_dense),
            meta_of(bias_dense),
            stride_h,
            stride_w,
            pad_h,
            pad_w,
            dilation_h,
            dilation_w,
            groups,
            offset_groups,
            use_mask));
  const auto grad_dense = dense(kName, "grad", grad);
  check_gradient(kName, view_of(grad_dense), spec);
  const Gradient grad_input(wants[0], "input", view_of(input_dense));
  const Gradient grad_weight(wants[1], "weight", view_of(weight_dense));
  const Gradient grad_offset(wants[2], "offset", view_of(offset_dense));
  const Gradient grad_mask(wants[3], "mask", view_of(mask_dense));
  const Gradient grad_bias(wants[4], "bias", view_of(bias_dense));
  backward(grad_input.view(),
           grad_weight.view(),
           grad_offset.view(),
           grad_mask.view(),
           grad_bias.view(),
           view_of(grad_dense),
           view_of(input_dense),
           view_of(weight_dense),
           view_of(offset_dense),
           view_of(mask_dense),
           view_of(bias_dense),
           stride_h,
           stride_w,
           pad_h,
           pad_w,
           dilation_h,
           dilation_w,
           groups,
           offset_groups,
           use_mask,
           torch_parallel_for);
  return {grad_input.tensor(),
          grad_weight.tensor(),
          grad_offset.tensor(),
          grad_mask.tensor(),
          grad_bias.tensor()};
}

}  // namespace op

// A fragment, because other packages may add operators to the same namespace.
STABLE_TORCH_LIBRARY_FRAGMENT(deform_conv2d, m) {
  m.def(
      "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
      "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt "
      "dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor");
  m.def(
      "deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor "
      "mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt "
      "dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask, bool[] "
      "wants) -> (Tensor, Tensor, Tensor, Tensor, Tensor)");
}

STABLE_TORCH_LIBRARY_IMPL(deform_conv2d, CPU, m) {
  m.impl("deform_conv2d", TORCH_BOX(&op::call));
  m.impl("deform_conv2d_backward", TORCH_BOX(&op::call_backward));
}
