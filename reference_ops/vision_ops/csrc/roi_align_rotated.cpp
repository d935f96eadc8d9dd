// vision_ops::roi_align_rotated for PyTorch, Python and ONNX Runtime.
#include <onnxop/op.h>

#if defined(ONNXOP_CUDA)
#include "../ops/roi_align_rotated.cuh"
#else
#include "../ops/roi_align_rotated.h"
#endif

namespace {

using namespace onnxop;

static_assert(roi_align_rotated_kernel::kName == "vision_ops::roi_align_rotated",
              "the kernel's kName names another operator");

constexpr std::array kArguments{
    Argument{.name = "input", .type = "Tensor"},
    Argument{.name = "rois", .type = "Tensor"},
    Argument{.name = "spatial_scale", .type = "float", .default_value = 1.0},
    Argument{.name = "output_height", .type = "int", .default_value = int64_t{7}},
    Argument{.name = "output_width", .type = "int", .default_value = int64_t{7}},
    Argument{.name = "sampling_ratio", .type = "int", .default_value = int64_t{0}},
    Argument{.name = "aligned", .type = "bool", .default_value = true},
    Argument{.name = "clockwise", .type = "bool", .default_value = false},
};

constexpr std::array kResults{
    Result{.name = "output", .grad = "grad"},
};

constexpr std::array kGradients{
    "input",
};

constexpr Op op{
    .name = "vision_ops::roi_align_rotated",
    .schema =
        "roi_align_rotated(Tensor input, Tensor rois, float spatial_scale=1.0, int "
        "output_height=7, int output_width=7, int sampling_ratio=0, bool aligned=True, bool "
        "clockwise=False) -> Tensor",
    .doc =
        "roi_align_rotated(input: torch.Tensor, rois: torch.Tensor, spatial_scale: float = 1.0, "
        "output_height: int = 7, output_width: int = 7, sampling_ratio: int = 0, aligned: bool = "
        "True, clockwise: bool = False) -> torch.Tensor\n\nRoIAlign (arXiv 1703.06870) of "
        "rotated boxes (arXiv 1703.01086).\n\nA box of `rois` is (batch, cx, cy, w, h, angle in "
        "radians). The angle is counterclockwise as the\nimage is seen, or clockwise with "
        "`clockwise=True`, as in `nms_rotated`, whose page compares the\ncalls of mmcv and "
        "detectron2. This calls the CPU kernel directly, without autograd.",
    .domain = "vision_ops",
    .op_type = "roi_align_rotated",
    .version = 1,
    .package = "vision_ops 0.1.0",
    .dtypes = roi_align_rotated_kernel::Supported::dtypes,
    .arguments = kArguments,
    .results = kResults,
    .infer = infer_of<kArguments>([](const auto&... arguments) {
      return roi_align_rotated_kernel::infer(arguments...);
    }),
    .compute = compute_of<kArguments, kResults>([](const auto&... arguments) {
      roi_align_rotated_kernel::compute(arguments...);
    }),
    .gradients = kGradients,
    .backward_schema =
        "roi_align_rotated_backward(Tensor grad, Tensor input, Tensor rois, float spatial_scale, "
        "int output_height, int output_width, int sampling_ratio, bool aligned, bool clockwise, "
        "bool[] wants) -> Tensor",
    .backward = backward_of<kArguments, kResults, kGradients>([](const auto&... arguments) {
      roi_align_rotated_kernel::backward(arguments...);
    }),
};

const Registration<op> registration;

}  // namespace
