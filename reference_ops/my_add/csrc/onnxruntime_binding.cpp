// Registers my_lib::my_add with ONNX Runtime: a library of custom ops.
#include <array>

#include "kernel.h"
#include "onnxruntime_host.h"

namespace op {
namespace {

class Node {
 public:
  static constexpr const char* kDomain = "my_lib";
  static constexpr const char* kOpType = "my_add";
  static constexpr std::array kInputs{
      ort::Port{.name = "a"},
      ort::Port{.name = "b"},
  };
  static constexpr std::array kOutputs{ort::Port{.name = "output"}};

  explicit Node(const ort::Attributes&) {}

  OutputSpec infer(const TensorMeta& a, const TensorMeta& b) const {
    return ort::infer_open(op::infer, a, b);
  }

  void compute(const MutableTensorView& output,
               const TensorView& a,
               const TensorView& b,
               const ort::ParallelFor& parallel_for) const {
    op::compute(output, a, b, parallel_for);
  }
};

}  // namespace
}  // namespace op

extern "C" __attribute__((visibility("default"))) op::ort::Status* RegisterCustomOps(
    op::ort::SessionOptions* options, const op::ort::ApiBase* base) {
  return op::ort::register_node<op::Node, op::Supported>(options, *base);
}
