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
    Argument{.name = "clockwise", .type = "bool", .default_value = false},
};

constexpr std::array kResults{
    Result{.name = "output", .dtype = Dtype::int64},
};

constexpr Op op{
    .name = "vision_ops::nms_rotated",
    .schema =
        "nms_rotated(Tensor boxes, Tensor scores, float iou_threshold, bool clockwise=False) -> "
        "Tensor",
    .doc =
        "nms_rotated(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float, clockwise: "
        "bool = False) -> torch.Tensor\n\nGreedy non-maximum suppression of rotated boxes, as in "
        "arXiv 1703.01086, 3.3.\n\nA box is (cx, cy, w, h, angle in radians). The angle is "
        "counterclockwise as the image is seen:\nits y axis points down, and the side w lies "
        "along (cos, -sin). With `clockwise=True`, w lies\nalong (cos, sin). `nms_rotated` and "
        "`roi_align_rotated` have the same default; mmcv's do not.\nThese calls compute the "
        "same:\n\n| call | angle | here |\n| --- | --- | --- |\n| `mmcv.ops.nms_rotated(boxes, "
        "scores, t)` | radians, clockwise | `nms_rotated(boxes, scores, t, clockwise=True)` |\n| "
        "`mmcv.ops.nms_rotated(boxes, scores, t, clockwise=False)` | radians, counterclockwise | "
        "`nms_rotated(boxes, scores, t)` |\n| `mmcv.ops.RoIAlignRotated((h, w), scale, n)(x, "
        "rois)` | radians, counterclockwise | `roi_align_rotated(x, rois, scale, h, w, n)` |\n| "
        "`mmcv.ops.RoIAlignRotated((h, w), scale, n, clockwise=True)(x, rois)` | radians, "
        "clockwise | `roi_align_rotated(x, rois, scale, h, w, n, clockwise=True)` |\n| "
        "`detectron2.layers.nms_rotated(boxes, scores, t)` | degrees, counterclockwise | "
        "`nms_rotated(boxes, scores, t)`, angles times pi / 180 |\n| "
        "`detectron2.layers.ROIAlignRotated((h, w), scale, n)(x, rois)` | degrees, "
        "counterclockwise | `roi_align_rotated(x, rois, scale, h, w, n)`, angles times pi / 180 "
        "|\n\nmmcv's `nms_rotated` returns the boxes, and the indices that this one returns. Its "
        "`labels`\ncompare boxes of one class only: move the boxes of each class apart first. "
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
