// Registers deform_conv2d::deform_conv2d with ONNX Runtime: a library of custom ops.
#include <array>
#include <cstdint>

#include "kernel.h"
#include "onnxruntime_host.h"

namespace op {
namespace {

class Node {
 public:
  static constexpr const char* kDomain = "deform_conv2d";
  static constexpr const char* kOpType = "deform_conv2d";
  static constexpr std::array kInputs{
      ort::Port{.name = "input"},
      ort::Port{.name = "weight"},
      ort::Port{.name = "offset"},
      ort::Port{.name = "mask"},
      ort::Port{.name = "bias"},
  };
  static constexpr std::array kOutputs{ort::Port{.name = "output"}};

  explicit Node(const ort::Attributes& attributes)
      : stride_h_(attributes.get<int64_t>("stride_h")),
        stride_w_(attributes.get<int64_t>("stride_w")),
        pad_h_(attributes.get<int64_t>("pad_h")),
        pad_w_(attributes.get<int64_t>("pad_w")),
        dilation_h_(attributes.get<int64_t>("dilation_h")),
        dilation_w_(attributes.get<int64_t>("dilation_w")),
        groups_(attributes.get<int64_t>("groups")),
        offset_groups_(attributes.get<int64_t>("offset_groups")),
        use_mask_(attributes.get<bool>("use_mask")) {}

  OutputSpec infer(const TensorMeta& input,
                   const TensorMeta& weight,
                   const TensorMeta& offset,
                   const TensorMeta& mask,
                   const TensorMeta& bias) const {
    return op::infer(input,
                     weight,
                     offset,
                     mask,
                     bias,
                     stride_h_,
                     stride_w_,
                     pad_h_,
                     pad_w_,
                     dilation_h_,
                     dilation_w_,
                     groups_,
                     offset_groups_,
                     use_mask_);
  }

  void compute(const MutableTensorView& output,
               const TensorView& input,
               const TensorView& weight,
               const TensorView& offset,
               const TensorView& mask,
               const TensorView& bias,
               const ort::ParallelFor& parallel_for) const {
    op::compute(output,
                input,
                weight,
                offset,
                mask,
                bias,
                stride_h_,
                stride_w_,
                pad_h_,
                pad_w_,
                dilation_h_,
                dilation_w_,
                groups_,
                offset_groups_,
                use_mask_,
                parallel_for);
  }

 private:
  int64_t stride_h_;
  int64_t stride_w_;
  int64_t pad_h_;
  int64_t pad_w_;
  int64_t dilation_h_;
  int64_t dilation_w_;
  int64_t groups_;
  int64_t offset_groups_;
  bool use_mask_;
};

}  // namespace
}  // namespace op

extern "C" __attribute__((visibility("default"))) op::ort::Status* RegisterCustomOps(
    op::ort::SessionOptions* options, const op::ort::ApiBase* base) {
  return op::ort::register_node<op::Node, op::Supported>(options, *base);
}
