// The extension module _kernel: importing it registers deform_conv2d::deform_conv2d, and it has the
// kernel as a function.
#include <pybind11/pybind11.h>

#include <cstdint>

#include "kernel.h"
#include "python_infer.h"
#include "python_tensor.h"
#include "torch_binding.h"

namespace py = pybind11;

namespace {

py::object call(const py::object& input,
                const py::object& weight,
                const py::object& offset,
                const py::object& mask,
                const py::object& bias,
                int64_t stride_h,
                int64_t stride_w,
                int64_t pad_h,
                int64_t pad_w,
                int64_t dilation_h,
                int64_t dilation_w,
                int64_t groups,
                int64_t offset_groups,
                bool use_mask) {
  const auto input_tensor = op::tensor_from("deform_conv2d::deform_conv2d", "input", input);
  const auto weight_tensor = op::tensor_from("deform_conv2d::deform_conv2d", "weight", weight);
  const auto offset_tensor = op::tensor_from("deform_conv2d::deform_conv2d", "offset", offset);
  const auto mask_tensor = op::tensor_from("deform_conv2d::deform_conv2d", "mask", mask);
  const auto bias_tensor = op::tensor_from("deform_conv2d::deform_conv2d", "bias", bias);
  const auto output = [&] {
    const py::gil_scoped_release release;
    return op::call(input_tensor,
                    weight_tensor,
                    offset_tensor,
                    mask_tensor,
                    bias_tensor,
                    stride_h,
                    stride_w,
                    pad_h,
                    pad_w,
                    dilation_h,
                    dilation_w,
                    groups,
                    offset_groups,
                    use_mask);
  }();
  return op::object_from(output);
}

py::tuple call_infer(const py::object& input,
                     const py::object& weight,
                     const py::object& offset,
                     const py::object& mask,
                     const py::object& bias,
                     const py::object& stride_h,
                     const py::object& stride_w,
                     const py::object& pad_h,
                     const py::object& pad_w,
                     const py::object& dilation_h,
                     const py::object& dilation_w,
                     const py::object& groups,
                     const py::object& offset_groups,
                     bool use_mask) {
  op::PythonSizes sizes;
  const auto input_meta = sizes.tensor("input", input);
  const auto weight_meta = sizes.tensor("weight", weight);
  const auto offset_meta = sizes.tensor("offset", offset);
  const auto mask_meta = sizes.tensor("mask", mask);
  const auto bias_meta = sizes.tensor("bias", bias);
  const auto stride_h_sizes = sizes.size(stride_h);
  const auto stride_w_sizes = sizes.size(stride_w);
  const auto pad_h_sizes = sizes.size(pad_h);
  const auto pad_w_sizes = sizes.size(pad_w);
  const auto dilation_h_sizes = sizes.size(dilation_h);
  const auto dilation_w_sizes = sizes.size(dilation_w);
  const auto groups_sizes = sizes.size(groups);
  const auto offset_groups_sizes = sizes.size(offset_groups);
  return sizes.output(op::infer(meta_of(input_meta),
                                meta_of(weight_meta),
                                meta_of(offset_meta),
                                meta_of(mask_meta),
                                meta_of(bias_meta),
                                stride_h_sizes,
                                stride_w_sizes,
                                pad_h_sizes,
                                pad_w_sizes,
                                dilation_h_sizes,
                                dilation_w_sizes,
                                groups_sizes,
                                offset_groups_sizes,
                                use_mask));
}

}  // namespace

// The module keeps no state of its own, so it needs no GIL.
PYBIND11_MODULE(_kernel, m, py::mod_gil_not_used()) {
  py::options options;
  options.disable_function_signatures();  // they would say "object" for tensors
  m.def("deform_conv2d", &call,
        py::arg("input"),
        py::arg("weight"),
        py::arg("offset"),
        py::arg("mask"),
        py::arg("bias"),
        py::arg("stride_h"),
        py::arg("stride_w"),
        py::arg("pad_h"),
        py::arg("pad_w"),
        py::arg("dilation_h"),
        py::arg("dilation_w"),
        py::arg("groups"),
        py::arg("offset_groups"),
        py::arg("use_mask").noconvert(),
        "deform_conv2d(input: torch.Tensor, weight: torch.Tensor, offset: torch.Tensor, mask: "
        "torch.Tensor, bias: torch.Tensor, stride_h: int, stride_w: int, pad_h: int, pad_w: int, "
        "dilation_h: int, dilation_w: int, groups: int, offset_groups: int, use_mask: bool) -> "
        "torch.Tensor\n\n"
        "Deformable convolution: a convolution whose samples lie at offsets, as in torchvision. "
        "Calls the CPU kernel itself, without autograd.");
  m.def("infer", &call_infer,
        py::arg("input"),
        py::arg("weight"),
        py::arg("offset"),
        py::arg("mask"),
        py::arg("bias"),
        py::arg("stride_h"),
        py::arg("stride_w"),
        py::arg("pad_h"),
        py::arg("pad_w"),
        py::arg("dilation_h"),
        py::arg("dilation_w"),
        py::arg("groups"),
        py::arg("offset_groups"),
        py::arg("use_mask"),
        "The dtype and the sizes of the result. Sizes may be open; one that depends on data is None.");
}
