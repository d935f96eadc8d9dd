// Greedy suppression of rotated boxes, in float64 for every dtype. A kept box is compared with the
// boxes after it, kLanes at a time, if any of these is near and not yet suppressed. The
// intersection of two boxes is an integral along the sides of one, in the frame of the other: y dx,
// clamped to the height and the width of the other (Green's theorem). The loop has no branches. The
// intersection of boxes that a side of either separates is set to 0, because rounding may leave a
// remainder of the integral.
#pragma once

#include <onnxop/kernel.h>
#include <onnxop/vector.h>

#include <cmath>
#include <numeric>

namespace nms_rotated_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "vision_ops::nms_rotated";
using Supported = FloatTypes;

/// Boxes by descending score, padded with boxes without area to a multiple of kLanes.
struct Boxes {
  int64_t count, padded;
  std::vector<int64_t> order;
  std::vector<double> x, y, width, height, sine, cosine, radius, area;
  std::array<std::vector<double>, 4> corner_x, corner_y;
  std::vector<int64_t> goes;

  template <typename Element>
  Boxes(int64_t count, const Element* boxes, const Element* scores, bool clockwise)
      : count(count), padded((count + kLanes - 1) / kLanes * kLanes), order(count), goes(padded) {
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const auto one = load(scores[a]), other = load(scores[b]);
      return one > other || (one != one && other == other);  // NaN is first, as in PyTorch
    });
    for (auto* column : {&x, &y, &width, &height, &sine, &cosine, &radius, &area})
      column->resize(padded);
    constexpr double kRight[] = {0.5, -0.5, -0.5, 0.5}, kUp[] = {0.5, 0.5, -0.5, -0.5};
    for (int64_t k = 0; k < 4; ++k) {
      corner_x[k].resize(padded);
      corner_y[k].resize(padded);
    }
    for (int64_t i = 0; i < count; ++i) {
      const Element* const box = boxes + order[i] * 5;
      const double w = std::max<double>(load(box[2]), 0), h = std::max<double>(load(box[3]), 0);
      const double angle = clockwise ? load(box[4]) : -load(box[4]);
      x[i] = load(box[0]);
      y[i] = load(box[1]);
      width[i] = w;
      height[i] = h;
      sine[i] = std::sin(angle);
      cosine[i] = std::cos(angle);
      radius[i] = std::sqrt(w * w + h * h) *
                  0.5000001;  // what is not near is apart, however that is rounded
      area[i] = w * h;
      for (int64_t k = 0; k < 4; ++k) {
        corner_x[k][i] = x[i] + w * kRight[k] * cosine[i] - h * kUp[k] * sine[i];
        corner_y[k][i] = y[i] + w * kRight[k] * sine[i] + h * kUp[k] * cosine[i];
      }
    }
  }
};

inline double clip(double value, double low, double high) {
  return std::min(std::max(value, low), high);
}

/// Marks those of the kLanes boxes from `first` on that box i suppresses.
ONNXOP_EACH_CPU inline void suppress(int64_t i, int64_t first, double threshold, Boxes& boxes) {
  const double x = boxes.x[i], y = boxes.y[i], sine = boxes.sine[i], cosine = boxes.cosine[i];
  const double right = boxes.width[i] / 2, up = boxes.height[i] / 2, area = boxes.area[i];
  double across[4][kLanes], along[4][kLanes], shared[kLanes] = {};
  int64_t meet[kLanes];
  for (int64_t l = 0, j = first; l < kLanes; ++l, ++j) {
    const double dx = boxes.x[j] - x, dy = boxes.y[j] - y, w = boxes.width[j] / 2,
                 h = boxes.height[j] / 2;
    const double own_sine = boxes.sine[j], own_cosine = boxes.cosine[j];
    const double c = std::abs(own_cosine * cosine + own_sine * sine),
                 s = std::abs(own_sine * cosine - own_cosine * sine);
    const auto meets = [](double distance, double reach) {
      return std::abs(distance) < reach - reach * 1e-14;
    };
    meet[l] = meets(dx * cosine + dy * sine, right + w * c + h * s) &
              meets(dy * cosine - dx * sine, up + w * s + h * c) &
              meets(dx * own_cosine + dy * own_sine, w + right * c + up * s) &
              meets(dy * own_cosine - dx * own_sine, h + right * s + up * c) & (boxes.area[j] > 0);
  }
  for (int64_t k = 0; k < 4; ++k) {
    const double* const corner_x = boxes.corner_x[k].data() + first;
    const double* const corner_y = boxes.corner_y[k].data() + first;
    for (int64_t l = 0; l < kLanes; ++l) {
      const double right_of = corner_x[l] - x, above = corner_y[l] - y;
      across[k][l] = right_of * cosine + above * sine;
      along[k][l] = above * cosine - right_of * sine;
    }
  }
  for (int64_t k = 0; k < 4; ++k) {
    for (int64_t l = 0; l < kLanes; ++l) {
      const double xa = across[k][l], ya = along[k][l], xb = across[(k + 1) % 4][l],
                   yb = along[(k + 1) % 4][l];
      const double a = clip(xa, -right, right), b = clip(xb, -right, right), run = xb - xa;
      const double slope = (yb - ya) / (run == 0 ? 1 : run);
      const double one = ya + (a - xa) * slope, other = ya + (b - xa) * slope;
      const double low = std::min(one, other), high = std::max(one, other),
                   rise = std::max(high - low, 1e-300);
      const double below = clip((-up - low) / rise, 0, 1), above = clip((high - up) / rise, 0, 1);
      const double middle = (clip(low, -up, up) + clip(high, -up, up)) / 2;
      shared[l] += (a - b) * (middle * (1 - below - above) + up * (above - below));
    }
  }
  const double* const areas = boxes.area.data() + first;
  int64_t* const goes = boxes.goes.data() + first;
  for (int64_t l = 0; l < kLanes; ++l) {
    const double common = meet[l] != 0 ? shared[l] : 0, together = areas[l] + area - common;
    const double overlap = together > 0 ? common / together : 0;
    goes[l] |= overlap > threshold && first + l > i;
  }
}

/// Returns whether any of the kLanes boxes from `first` on is not yet suppressed and may overlap
/// box i.
ONNXOP_EACH_CPU inline bool is_any_near(int64_t i, int64_t first, const Boxes& boxes) {
  const double x = boxes.x[i], y = boxes.y[i], radius = boxes.radius[i];
  int64_t near = 0;
  for (int64_t l = 0; l < kLanes; ++l) {
    const double across = boxes.x[first + l] - x, along = boxes.y[first + l] - y,
                 reach = boxes.radius[first + l] + radius;
    near |= (across * across + along * along <= reach * reach) & (boxes.goes[first + l] == 0);
  }
  return near != 0;
}

/// The arguments of a call.
struct Call {
  const void *boxes = nullptr, *scores = nullptr;
  int64_t count = 0;
  Dtype dtype = Dtype::other;
  double threshold = 0;
  bool clockwise = false;

  bool operator==(const Call&) const = default;
};

/// Returns the boxes that are kept, by descending score.
inline std::vector<int64_t> compute_kept(const Call& call) {
  std::vector<int64_t> kept;
  Supported::visit(call.dtype, [&]<typename Element>() {
    const auto* const scores = static_cast<const Element*>(call.scores);
    Boxes boxes(call.count, static_cast<const Element*>(call.boxes), scores, call.clockwise);
    for (int64_t i = 0; i < call.count; ++i) {
      if (boxes.goes[i] != 0) continue;
      kept.push_back(boxes.order[i]);
      for (int64_t first = (i + 1) / kLanes * kLanes; first < boxes.padded; first += kLanes) {
        if (call.threshold < 0 || is_any_near(i, first, boxes))
          suppress(i, first, call.threshold, boxes);
      }
    }
  });
  return kept;
}

/// The last result of infer() on this thread. compute() uses it, because hosts call it right after
/// infer().
struct Inferred {
  Call call;
  std::vector<int64_t> kept;
};
inline thread_local Inferred inferred;

inline OutputSpec infer(const TensorMeta& boxes, const TensorMeta& scores, double iou_threshold,
                        bool clockwise) {
  check_supported<Supported>(kName, boxes);
  check_same_dtype(kName, boxes, scores);
  if (boxes.rank() != 2 || boxes.sizes[1] != 5) {
    fail(kName, ": boxes must have the shape [n, 5], but its shape is ", to_string(boxes.sizes));
  }
  if (scores.rank() != 1 || scores.sizes[0] != boxes.sizes[0]) {
    fail(kName, ": scores must have one for each of the ", boxes.sizes[0],
         " boxes, but its shape is ", to_string(scores.sizes));
  }
  if (boxes.data == nullptr || scores.data == nullptr)
    return {Dtype::int64,
            {boxes.sizes[0].symbol() == nullptr && boxes.sizes[0] == 0 ? Size(0) : kDataDependent}};
  const Call call{boxes.data, scores.data, boxes.sizes[0].value(),
                  boxes.dtype, iou_threshold, clockwise};
  inferred = {call, compute_kept(call)};
  return {Dtype::int64, {std::ssize(inferred.kept)}};
}

inline void compute(const MutableTensorView& out, const TensorView& boxes, const TensorView& scores,
                    double iou_threshold, bool clockwise, const ParallelFor&) {
  const Call call{boxes.data, scores.data, boxes.sizes[0], boxes.dtype, iou_threshold, clockwise};
  Inferred last = std::exchange(inferred, {});
  const std::vector<int64_t> kept = last.call == call ? std::move(last.kept) : compute_kept(call);
  std::copy_n(kept.begin(), std::min<int64_t>(std::ssize(kept), out.sizes[0]),
              out.data_as<int64_t>());
}

}  // namespace nms_rotated_kernel
