// vision_ops::nms_rotated for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#include "../ops/nms_rotated.h"

namespace {

using namespace onnxop;

static_assert(nms_rotated_kernel::kName == "vision_ops::nms_rotated",
              "the kernel's kName names another operator");

constexpr std::array kArguments{
    Argument{.name = "boxes", .type = "Tensor"},
    Argument{.name = "scores", .type = "Tensor"},
    Argument{.name = "iou_threshold", .type = "float"},
};

constexpr std::array kResults{
    Result{.name = "output", .dtype = Dtype::int64},
};

constexpr Op op{
    .name = "vision_ops::nms_rotated",
    .schema = "nms_rotated(Tensor boxes, Tensor scores, float iou_threshold) -> Tensor",
    .doc =
        "nms_rotated(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> "
        "torch.Tensor\n\nGreedy non-maximum suppression of rotated boxes, (cx, cy, w, h, angle "
        "in radians), whose side w lies along (cos, sin) of the angle (arXiv 1703.01086, 3.3). "
        "This calls the CPU kernel directly, without autograd.",
    .domain = "vision_ops",
    .op_type = "nms_rotated",
    .version = 1,
    .package = "vision_ops 0.1.0",
    .dtypes = nms_rotated_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return nms_rotated_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      nms_rotated_kernel::compute(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
