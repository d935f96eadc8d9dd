// An element's result has the same bits at any position: in a row, in memory, among threads, repeated or
// transposed; also if results bypass the caches, as those of the larger tensors here do. (The scalar and
// vector variants of functions differ in bits. The sign of a NaN is free: compilers swap the operands of
// sums, of which a CPU returns the first NaN.)
#define ONNXOP_CACHE_BYTES 1000
#include <onnxop/elementwise.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <limits>

namespace {

using namespace onnxop;

/// Threads with equal numbers of steps, one after the other.
class Pieces final : public ParallelFor {
 public:
  explicit Pieces(int64_t length) : length_(length) {}

 private:
  void run(int64_t count, int64_t, const Range& body) const override {
    for (int64_t i = 0; i < count; i += length_) body(i, std::min(count, i + length_));
  }
  int64_t length_;
};

using Sizes = std::vector<int64_t>;

/// A vector of bool has no data().
template <typename T>
using Results = std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;

struct Layout {
  Sizes sizes, strides;  // 0 repeats
};

template <typename T>
std::vector<T> draw(size_t count) {
  static uint64_t state = 88172645463325252;
  std::vector<T> values(count);
  for (T& value : values) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(state);
    } else {
      const double special[] = {0.0, -0.0, 1e30, 1e-40, std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
      const double drawn = static_cast<double>(static_cast<int64_t>(state)) * 0x1p-60;
      value = store<T>(static_cast<Compute<T>>(state % 32 < 7 ? special[state % 7] : drawn));
    }
  }
  return values;
}

template <typename T, typename Out, typename Function>
Results<Out> compute(const Function& function, const Sizes& sizes, const std::vector<T>& x,
                     const Sizes& x_strides, const std::vector<T>& y, const Sizes& y_strides,
                     int64_t piece, int64_t offset = 0) {
  const auto view = [&](const std::vector<T>& values, const Sizes& strides) {
    return TensorView{.name = "x", .data = values.data() + offset, .dtype = TypeTraits<T>::dtype, .sizes = sizes, .strides = strides};
  };
  // With a margin that must stay unchanged.
  Results<Out> results(element_count(sizes) + offset + 1);
  const auto mark = results.back();
  const Sizes strides = contiguous_strides(sizes);
  const MutableTensorView out{.name = "out", .data = results.data() + offset, .dtype = TypeTraits<Out>::dtype, .sizes = sizes, .strides = strides};
  elementwise<T, Out>(out, std::array{view(x, x_strides), view(y, y_strides)}, 1, Pieces(piece),
                      function);
  if (std::memcmp(&results.back(), &mark, sizeof(Out)) != 0) std::puts("wrote past its end");
  results.pop_back();
  return {results.begin() + offset, results.end()};
}

template <typename T>
bool is_nan(T value) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return std::isnan(load(value));
  }
}

template <typename T>
bool same(const std::vector<T>& one, const T* other) {
  return std::equal(one.begin(), one.end(), other, [](const T& left, const T& right) {
    return std::memcmp(&left, &right, sizeof(T)) == 0 || (is_nan(left) && is_nan(right));
  });
}

/// Returns the strided elements in a row.
template <typename T>
std::vector<T> in_a_row(const std::vector<T>& values, const Sizes& sizes, const Sizes& strides) {
  std::vector<T> row;
  Sizes at(sizes.size());
  for (int64_t e = 0; e < element_count(sizes); ++e) {
    int64_t place = 0;
    for (size_t d = 0; d < at.size(); ++d) place += at[d] * strides[d];
    row.push_back(values[place]);
    for (size_t d = at.size(); d-- > 0 && ++at[d] == sizes[d];) at[d] = 0;
  }
  return row;
}

template <typename T, typename Out = T, typename Function>
bool test(const char* name, const Function& function) {
  bool is_good = true;
  const auto expect = [&](bool is_same, const char* what, int64_t number) {
    if (!is_same) std::printf("%s, %s: %s, %d\n", name, onnxop::name(TypeTraits<T>::dtype).data(), what, int(number));
    is_good &= is_same;
  };
  const Sizes all{20'000}, one{1};
  const std::vector<T> x = draw<T>(20'000), y = draw<T>(20'000);
  const auto whole = compute<T, Out>(function, all, x, one, y, one, all[0]);

  for (const int64_t piece : {1, 7, 33, 100, 2049}) {
    expect(same(compute<T, Out>(function, all, x, one, y, one, piece), whole.data()), "threads", piece);
  }
  for (int64_t length = 1; length < 140; ++length) {
    for (const int64_t offset : {0, 1, 5, 64, 131}) {
      const auto results = compute<T, Out>(function, {length}, x, one, y, one, length, offset);
      expect(same(results, whole.data() + offset), "length", length);
    }
  }
  const Layout layouts[] = {
      {{100}, {2}},
      {{100}, {3}},
      {{1, 1}, {5, 7}},
      {{60, 70}, {1, 60}},
      {{33, 5}, {1, 33}},
      {{7, 300}, {300, 1}},
      {{7, 300}, {301, 1}},
      {{40, 11}, {13, 1}},
      {{3, 4, 5}, {20, 1, 4}},
      {{64, 100}, {0, 1}},
      {{64, 100}, {1, 0}},
      {{64, 10}, {1, 0}},
      {{9, 2100}, {0, 0}},
      {{5, 6, 7}, {0, 7, 1}},
      {{2, 3000}, {1, 2}},
  };
  for (size_t i = 0; i < std::size(layouts); ++i) {
    const auto& [sizes, strides] = layouts[i];
    const int64_t count = element_count(sizes);
    const std::vector<T> row = in_a_row(x, sizes, strides);
    const Sizes contiguous = contiguous_strides(sizes);
    for (const int64_t piece : {int64_t(1), int64_t(3), count}) {
      // Before or after a contiguous tensor; and two such.
      const std::vector<T> other(y.begin(), y.begin() + count);
      const auto first = compute<T, Out>(function, {count}, row, one, other, one, count);
      const auto second = compute<T, Out>(function, {count}, other, one, row, one, count);
      const auto both = compute<T, Out>(function, {count}, row, one, row, one, count);
      expect(same(compute<T, Out>(function, sizes, x, strides, other, contiguous, piece), first.data()), "layout", i);
      expect(same(compute<T, Out>(function, sizes, other, contiguous, x, strides, piece), second.data()), "layout", i);
      expect(same(compute<T, Out>(function, sizes, x, strides, x, strides, piece), both.data()), "layout", i);
    }
  }
  return is_good;
}

}  // namespace

int main() {
  using namespace functions;
  bool is_good = true;
  // In float16, too, the bits differ: this multiplies the difference of the two variants.
  const auto vector = [](auto x, auto y) { return (asinh(x) * exp(y) - log1p(fabs(y))) * 1000003; };
  const auto chosen = [](auto x, auto y) { return x > y ? expm1(x) : tan(y) + tanh(x); };
  const auto scalar = [](auto x, auto y) { return lgamma(x) + exp(y); };
  const auto truth = [](auto x, auto y) { return exp(x) > erfc(y); };
  const auto plain = [](auto x, auto y) { return static_cast<decltype(x)>(2 * x + y); };
  const auto each = [&]<typename T>() {
    is_good &= test<T>("vector", vector) & test<T>("chosen", chosen) & test<T>("plain", plain) &
               test<T, bool>("truth", truth);
  };
  each.operator()<float>();
  each.operator()<double>();
  each.operator()<Half>();
  each.operator()<BFloat16>();
  is_good &= test<float>("scalar", scalar) & test<int8_t>("plain", plain) & test<int64_t>("plain", plain);
  return is_good ? 0 : 1;
}
