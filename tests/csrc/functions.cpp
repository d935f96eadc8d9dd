// The errors of the functions of elementwise kernels, in the kernels' loop: units in the last place
// against the same functions in a wider type.
//
//     functions        for a sweep: both signs, every exponent, some mantissas; prints one line each
//     functions all    the functions of one argument for every float
//
// It fails if an error exceeds kAllowed, or if an infinity, a NaN or a zero's sign is wrong.
#include <onnxop/elementwise.h>

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>

namespace {

using namespace onnxop;

constexpr double kAllowed = 4;
constexpr double kWrong = std::numeric_limits<double>::infinity();

// The type of the expected values. Functions without a vector variant are exact enough for it.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
template <typename T>
using Bits = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;

class OneThread final : public ParallelFor {
  void run(int64_t count, int64_t, const Range& body) const override { body(0, count); }
};

/// Returns the distance of a value from the true one, in units in the last place.
template <typename T>
double distance(T actual, Wide<T> wanted) {
  const T near = static_cast<T>(wanted);
  if (std::isnan(near)) return std::isnan(actual) ? 0 : kWrong;
  if (!std::isfinite(near) || !std::isfinite(actual)) return actual == near ? 0 : kWrong;
  if (wanted == 0) return actual == 0 && std::signbit(actual) == std::signbit(wanted) ? 0 : kWrong;
  using Limits = std::numeric_limits<T>;
  int exponent = 0;
  std::frexp(near, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  return std::fabs(static_cast<double>(actual - wanted)) /
         std::ldexp(1.0, exponent - Limits::digits);
}

template <typename T>
struct Worst {
  double distance = 0;
  std::array<T, 2> at{};

  void add(const Worst& other) {
    if (!(other.distance <= distance)) *this = other;
  }
};

/// Runs the kernels' loop over rows.
template <typename T, size_t N, typename Function>
std::vector<T> map(const Function& function, const std::array<std::vector<T>, N>& inputs) {
  const std::array<int64_t, 1> sizes{static_cast<int64_t>(inputs[0].size())}, strides{1};
  constexpr Dtype dtype = TypeTraits<T>::dtype;
  std::vector<T> results(inputs[0].size());
  std::array<TensorView, N> views;
  for (size_t i = 0; i < N; ++i) {
    views[i] = {.name = "x", .data = inputs[i].data(), .dtype = dtype, .sizes = sizes, .strides = strides};
  }
  const MutableTensorView out{
      .name = "out", .data = results.data(), .dtype = dtype, .sizes = sizes, .strides = strides};
  elementwise<T>(out, views, 1, OneThread(), [&](auto... x) { return function(x...); });
  return results;
}

/// Computes the expected values: for floats by the loop in double, which is exact enough; for doubles
/// one by one in long double.
template <typename T, size_t N, typename Function>
std::vector<Wide<T>> expected(const Function& function, const std::array<std::vector<T>, N>& inputs) {
  if constexpr (std::is_same_v<T, float>) {
    std::array<std::vector<double>, N> wide;
    for (size_t i = 0; i < N; ++i) wide[i].assign(inputs[i].begin(), inputs[i].end());
    return map<double, N>(function, wide);
  } else {
    std::vector<Wide<T>> values;
    for (size_t e = 0; e < inputs[0].size(); ++e) {
      [&]<size_t... I>(std::index_sequence<I...>) {
        // glibc's powl returns infinity for -infinity to the power of -2^63.
        const bool is_finite = (std::isfinite(inputs[I][e]) && ...);
        values.push_back(is_finite ? function(Wide<T>(inputs[I][e])...) : function(inputs[I][e]...));
      }(std::make_index_sequence<N>());
    }
    return values;
  }
}

// Not a template of the function, so that it is compiled once.
template <typename T, size_t N>
Worst<T> compare(const std::vector<T>& actual, const std::vector<Wide<T>>& wanted,
                 const std::array<std::vector<T>, N>& inputs) {
  Worst<T> worst;
  for (size_t e = 0; e < actual.size(); ++e) {
    // Most are the nearest value, which is a quick check.
    if (std::bit_cast<Bits<T>>(actual[e]) == std::bit_cast<Bits<T>>(static_cast<T>(wanted[e]))) continue;
    Worst<T> here{distance(actual[e], wanted[e]), {}};
    for (size_t i = 0; i < N; ++i) here.at[i] = inputs[i][e];
    worst.add(here);
  }
  return worst;
}

template <typename T, size_t N, typename Function>
Worst<T> measure(const Function& function, const std::array<std::vector<T>, N>& inputs) {
  return compare<T, N>(map<T, N>(function, inputs), expected<T, N>(function, inputs), inputs);
}

uint64_t draw() {
  static uint64_t state = 88172645463325252;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/// Returns both signs, every exponent, infinities and NaN included; the ends of each binade and some between.
template <typename T>
std::vector<T> sweep(int mantissas) {
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr auto kFraction = (Bits<T>(1) << kMantissa) - 1;
  std::vector<T> values;
  for (Bits<T> upper = 0; upper <= Bits<T>(-1) >> kMantissa; ++upper) {
    for (int i = 0; i < mantissas; ++i) {
      const auto drawn = static_cast<Bits<T>>(draw()) & kFraction;
      const Bits<T> lower = i == 0 ? 0 : i == 1 ? kFraction
                                     : i == 2   ? 1
                                                : drawn;
      values.push_back(std::bit_cast<T>(static_cast<Bits<T>>(upper << kMantissa | lower)));
    }
  }
  return values;
}

template <typename T>
bool report(const char* name, const Worst<T>& worst) {
  std::printf("%-6s %-8s %6.3f at %a, %a\n", name, onnxop::name(TypeTraits<T>::dtype).data(),
              worst.distance, double(worst.at[0]), double(worst.at[1]));
  std::fflush(stdout);
  return worst.distance <= kAllowed;
}

template <typename T, typename Function>
bool test_unary(const char* name, const Function& function) {
  return report(name, measure<T, 1>(function, {sweep<T>(std::is_same_v<T, float> ? 64 : 16)}));
}

/// Returns pairs of all magnitudes, and pairs near each other.
template <typename T>
std::array<std::vector<T>, 2> sweep_of_pairs() {
  std::array<std::vector<T>, 2> pairs;
  const std::vector<T> values = sweep<T>(std::is_same_v<T, float> ? 2 : 1);
  const size_t step = values.size() / 512;
  for (size_t i = draw() % step; i < values.size(); i += step) {
    for (size_t j = draw() % step; j < values.size(); j += step) {
      pairs[0].push_back(values[i]);
      pairs[1].push_back(values[j]);
    }
  }
  for (const T special : {T(0), -T(0), T(1), -T(1), std::numeric_limits<T>::infinity(),
                          -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
    for (size_t i = 0; i < values.size(); i += 3) {
      for (const int first : {0, 1}) {
        pairs[first].push_back(special);
        pairs[1 - first].push_back(values[i]);
      }
    }
  }
  for (int i = 0; i < 100'000; ++i) {
    for (auto& each : pairs) each.push_back(static_cast<T>(static_cast<int64_t>(draw()) * 0x1p-59));
  }
  return pairs;
}

template <typename T, typename Function>
bool test_binary(const char* name, const Function& function) {
  return report(name, measure<T, 2>(function, sweep_of_pairs<T>()));
}

template <typename Function>
bool test_every_float(const char* name, const Function& function) {
  constexpr uint32_t kChunk = 1 << 16;
  std::atomic<uint32_t> next = 0;
  std::vector<Worst<float>> worsts(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> threads;
  for (Worst<float>& worst : worsts) {
    threads.emplace_back([&] {
      std::array<std::vector<float>, 1> values{std::vector<float>(kChunk)};
      for (uint32_t chunk; (chunk = next++) < (uint64_t(1) << 32) / kChunk;) {
        for (uint32_t i = 0; i < kChunk; ++i) {
          values[0][i] = std::bit_cast<float>(chunk * kChunk + i);
        }
        worst.add(measure<float, 1>(function, values));
      }
    });
  }
  threads.clear();
  Worst<float> worst;
  for (const Worst<float>& other : worsts) worst.add(other);
  return report(name, worst);
}

}  // namespace

int main(int count, char** words) {
  const bool all = count > 1 && std::strcmp(words[1], "all") == 0;
  bool is_good = true;
#define UNARY(name)                                                  \
  {                                                                  \
    const auto function = [](auto x) { return functions::name(x); }; \
    is_good &= all ? test_every_float(#name, function)               \
                   : test_unary<float>(#name, function) &            \
                         test_unary<double>(#name, function);        \
  }
#define BINARY(name)                                                                       \
  if (!all) {                                                                              \
    const auto function = [](auto x, auto y) { return functions::name(x, y); };            \
    is_good &= test_binary<float>(#name, function) & test_binary<double>(#name, function); \
  }
  UNARY(acos)
  UNARY(acosh)
      UNARY(asin) UNARY(asinh) UNARY(atan) UNARY(atanh) UNARY(cbrt) UNARY(cos)
          UNARY(cosh) UNARY(erf) UNARY(erfc) UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log) UNARY(log10)
              UNARY(log1p) UNARY(log2) UNARY(sin) UNARY(sinh) UNARY(tan) UNARY(tanh)
                  BINARY(atan2) BINARY(hypot) BINARY(pow) return is_good
      ? 0
      : 1;
}
