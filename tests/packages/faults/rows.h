#pragma once

#include <onnxop/kernel.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

namespace rows_kernel {

using namespace onnxop;

inline constexpr std::string_view kName = "faults::rows";
using Supported = Types<float, double, Half, BFloat16>;

/// The fault of this process, by name; "" for the right kernel.
inline const std::string kFault = std::getenv("FAULT") == nullptr ? "" : std::getenv("FAULT");

inline bool is(const char* fault) { return kFault == fault; }

inline bool is_like(const TensorMeta& keep, const TensorMeta& x) {
  if (keep.dtype != Dtype::boolean || keep.rank() != x.rank()) return false;
  for (size_t i = 0; i < x.rank(); ++i) {
    if (keep.sizes[i] != x.sizes[i]) return false;
  }
  return true;
}

inline std::array<OutputSpec, 2> infer(const TensorMeta& x, const std::optional<TensorMeta>& keep, std::string_view mode,
                                       std::optional<double>, std::span<const int64_t> weights) {
  check_supported<Supported>(kName, x);
  if (x.rank() == 0 || x.sizes[x.rank() - 1] == 0) fail(kName, ": x has no columns");
  if (keep && !is_like(*keep, x)) fail(kName, ": keep must be bool, of x's shape");
  if (mode != "sum" && mode != "max") fail(kName, ": mode must be sum or max");
  if (weights.size() != 2) fail(kName, ": there must be 2 weights, but there are ", weights.size());
  std::vector<Size> sizes(x.sizes.begin(), x.sizes.end());
  OutputSpec scaled{x.dtype, sizes};
  sizes.pop_back();
  return {scaled, OutputSpec{x.dtype, sizes}};
}

/// Calls `visit(row)` for each row, as a fault that depends on the rank has it.
template <typename Visit>
void each_row(const TensorView& x, const Visit& visit) {
  int64_t rows = element_count(x.sizes) / x.sizes[x.rank() - 1];
  if (is("first matrix of three") && x.rank() == 3) rows = std::min(rows, x.sizes[1]);
  if (is("rank above 3") && x.rank() > 3) rows = x.sizes[0] * x.sizes[1];
  for (int64_t row = 0; row < rows; ++row) visit(row);
}

/// Returns where the highest element of a row is.
template <typename T>
int64_t highest_of(std::span<const T> row) {
  int64_t highest = 0;
  for (int64_t i = 1; i < std::ssize(row); ++i) {
    if (std::isnan(load(row[highest]))) break;
    const auto value = load(row[i]), most = load(row[highest]);
    if (value > most || std::isnan(value)) highest = i;
  }
  return highest;
}

/// Returns an element of x, limited, and 0 where `keep` is false.
template <typename T>
Compute<T> element_of_z(const TensorView& x, const std::optional<TensorView>& keep, std::optional<double> limit, int64_t here) {
  using C = Compute<T>;
  if (keep && !keep->data_as<bool>()[here]) return 0;
  const C value = load(x.data_as<T>()[here]);
  return limit && value > static_cast<C>(*limit) ? static_cast<C>(*limit) : value;
}

inline void compute(const MutableTensorView& scaled, const MutableTensorView& totals, const TensorView& x,
                    const std::optional<TensorView>& keep, std::string_view mode, std::optional<double> limit,
                    std::span<const int64_t> weights, const ParallelFor&) {
  const int64_t columns = x.sizes[x.rank() - 1];
  if (is("limit of 0 is missing") && limit == 0.0) limit.reset();
  if (is("rank 1 has no limit") && x.rank() == 1) limit.reset();
  if (is("keep and limit") && keep) limit.reset();
  if (is("limited sum with a first weight of 3") && mode == "sum" && weights[0] == 3) limit.reset();
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    std::vector<T> row_of_z(columns);
    each_row(x, [&](int64_t row) {
      C sum = 0;
      for (int64_t i = 0; i < columns; ++i) {
        const int64_t here = row * columns + i;
        C z = element_of_z<T>(x, keep, limit, here);
        if (is("keep multiplies") && keep) z = load(x.data_as<T>()[here]) * static_cast<C>(keep->data_as<bool>()[here]);
        row_of_z[i] = store<T>(z);
        sum += z;
      }
      const bool* const kept = keep ? keep->data_as<bool>() + row * columns : nullptr;
      if (is("nothing is kept") && keep && std::none_of(kept, kept + columns, std::identity())) sum = 1;
      if (is("64 columns") && columns % 64 == 0) sum -= load(row_of_z[columns - 1]);
      const C total = mode == "sum" ? sum : load(row_of_z[highest_of<T>(row_of_z)]);
      const C first = static_cast<C>(weights[0]);
      const C second = static_cast<C>(is("weights are alike in max") && mode == "max" ? weights[0] + 1 : weights[1]);
      for (int64_t i = 0; i < columns; ++i) {
        scaled.data_as<T>()[row * columns + i] = store<T>(load(row_of_z[i]) * first + total * second);
      }
      totals.data_as<T>()[row] = store<T>(total);
    });
  });
}

inline void backward(const std::optional<MutableTensorView>& grad_x, const TensorView& grad_scaled, const TensorView& grad_totals,
                     const TensorView& x, const std::optional<TensorView>& keep, std::string_view mode,
                     std::optional<double> limit, std::span<const int64_t> weights, const ParallelFor&) {
  if (!grad_x) return;
  const int64_t columns = x.sizes[x.rank() - 1];
  if (is("gradient of rank 1 has no limit") && x.rank() == 1) limit.reset();
  Supported::visit(x.dtype, [&]<typename T>() {
    using C = Compute<T>;
    std::vector<T> row_of_z(columns);
    each_row(x, [&](int64_t row) {
      C sum = 0;
      for (int64_t i = 0; i < columns; ++i) {
        const int64_t here = row * columns + i;
        row_of_z[i] = store<T>(element_of_z<T>(x, keep, limit, here));
        sum += load(grad_scaled.data_as<T>()[here]);
      }
      C of_total = sum * static_cast<C>(weights[1]);
      if (!is("gradient of the second result is lost")) of_total += load(grad_totals.data_as<T>()[row]);
      const int64_t highest = highest_of<T>(row_of_z);
      const auto is_highest = [&](int64_t i) { return load(row_of_z[i]) == load(row_of_z[highest]); };
      int64_t count = 0;
      for (int64_t i = 0; i < columns; ++i) count += is_highest(i);
      if (is("gradient of the first highest")) count = 1;
      for (int64_t i = 0; i < columns; ++i) {
        const int64_t here = row * columns + i;
        C of_x = load(grad_scaled.data_as<T>()[here]) * static_cast<C>(weights[0]);
        if (mode == "sum") of_x += of_total;
        const bool is_chosen = is("gradient of the first highest") ? i == highest : is_highest(i);
        if (mode == "max") of_x += static_cast<C>(is_chosen) * of_total / static_cast<C>(count);
        const bool is_kept = !keep || keep->data_as<bool>()[here];
        const bool is_below = !limit || load(x.data_as<T>()[here]) <= static_cast<C>(*limit);
        if (!is_kept && !is("gradient of what is not kept")) of_x = 0;
        if (!is_below) of_x = 0;
        grad_x->data_as<T>()[here] = store<T>(of_x);
      }
    });
  });
}

}  // namespace rows_kernel
