// Registers asinh::asinh with ONNX Runtime: a library of custom ops.
#include <array>

#include "kernel.h"
#include "onnxruntime_host.h"

namespace op {
namespace {

class Node {
 public:
  static constexpr const char* kDomain = "asinh";
  static constexpr const char* kOpType = "asinh";
  static constexpr std::array kInputs{
      ort::Port{.name = "self"},
  };
  static constexpr std::array kOutputs{ort::Port{.name = "output"}};

  explicit Node(const ort::Attributes&) {}

  OutputSpec infer(const TensorMeta& self) const {
    return ort::infer_open(op::infer, self);
  }

  void compute(const MutableTensorView& output,
               const TensorView& self,
               const ort::ParallelFor& parallel_for) const {
    op::compute(output, self, parallel_for);
  }
};

}  // namespace
}  // namespace op

extern "C" __attribute__((visibility("default"))) op::ort::Status* RegisterCustomOps(
    op::ort::SessionOptions* options, const op::ort::ApiBase* base) {
  return op::ort::register_node<op::Node, op::Supported>(options, *base);
}
