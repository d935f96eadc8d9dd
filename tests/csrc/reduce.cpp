// reduce.h against sums in float64, over counts, dtypes, positions and threads.
#include <onnxop/reduce.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

using namespace onnxop;

namespace {

int failures = 0;

void expect(bool is_right, const char* what, int64_t count) {
  if (is_right) return;
  std::printf("%s of %ld\n", what, long(count));
  ++failures;
}

/// Runs all steps one by one, the last one first, as threads might.
struct Backwards final : ParallelFor {
  void run(int64_t count, int64_t, const Range& body) const override {
    for (int64_t i = count; i-- > 0;) body(i, i + 1);
  }
};

template <typename T>
std::vector<T> draw(int64_t count) {
  std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(store<T>(normal(generator)));
  return values;
}

template <typename T>
void test(int64_t count) {
  using C = Compute<T>;
  std::vector<T> in = draw<T>(count);
  const auto term = [&](int64_t i) { return load(in[i]) * load(in[i]); };
  double sum_wanted = 0, largest_wanted = -std::numeric_limits<double>::infinity();
  for (const T& each : in) {
    const double value = load(each);
    sum_wanted += value * value;
    largest_wanted = std::max(largest_wanted, value);
  }
  const C actual = sum(count, term);
  expect(std::abs(actual - sum_wanted) <= 8 * std::numeric_limits<C>::epsilon() * sum_wanted, "sum",
         count);
  const auto plain = [&](int64_t i) { return load(in[i]); };
  expect(largest(count, plain) == static_cast<C>(largest_wanted), "largest", count);
  // At other addresses, too.
  for (int64_t shift = 1; shift < 5; ++shift) {
    std::vector<T> moved(shift, store<T>(9));
    moved.insert(moved.end(), in.begin(), in.end());
    const T* const from = moved.data() + shift;
    expect(sum(count, [&](int64_t i) { return load(from[i]) * load(from[i]); }) == actual,
           "bits by place", count);
  }
  for (int64_t place = 0; place < count; place += 1 + count / 5) {
    const T before = in[place];
    in[place] = store<T>(std::numeric_limits<C>::quiet_NaN());
    expect(std::isnan(largest(count, plain)) && std::isnan(sum(count, term)), "NaN", count);
    in[place] = before;
  }
  std::vector<T> out(count);
  fill(count, out.data(), [&](int64_t i) { return 2 * load(in[i]); });
  for (int64_t i = 0; i < count; ++i) {
    if (load(out[i]) != 2 * load(in[i])) return expect(false, "fill", count);
  }
  // The variants of a function differ in bits: an element alone must have the same bits as in the row.
  const auto function = [](C x, C y) { return std::exp(x) - std::asinh(y); };
  std::vector<C> all(count), again(count);
  map(count, all.data(), function, in.data(), in.data());
  for (int64_t i = 0; i < count; ++i) map(1, &again[i], function, &in[i], &in[i]);
  expect(all == again, "bits of functions by place", count);
  // In place, from the values there.
  fill(count, again.data(), [&](int64_t i) { return again[i] + load(in[i]); });
  for (int64_t i = 0; i < count; ++i) {
    if (again[i] != all[i] + load(in[i])) return expect(false, "fill in place", count);
  }
}

template <typename T>
void test_rows(int64_t rows, int64_t columns) {
  using C = Compute<T>;
  const std::vector<T> in = draw<T>(rows * columns);
  std::vector<C> actual(columns, 1), again(columns, 2);
  const auto add = [&](int64_t row, C* sums) {
    for (int64_t c = 0; c < columns; ++c) sums[c] += load(in[row * columns + c]);
  };
  sum_of_rows<C>(rows, columns, actual.data(), ThisThread(), add);
  sum_of_rows<C>(rows, columns, again.data(), Backwards(), add);
  expect(actual == again, "bits by threads", rows);
  for (int64_t c = 0; c < columns; ++c) {
    double wanted = 0;
    for (int64_t r = 0; r < rows; ++r) wanted += static_cast<double>(load(in[r * columns + c]));
    const double bound = 8 * std::numeric_limits<C>::epsilon() * std::sqrt(rows) * 8;
    expect(std::abs(actual[c] - wanted) <= bound, "sum of rows", rows);
  }
}

}  // namespace

int main() {
  for (const int64_t count : {0, 1, 2, 15, 16, 31, 32, 33, 70, 1000, 4099}) {
    test<float>(count);
    test<double>(count);
    test<Half>(count);
    test<BFloat16>(count);
  }
  for (const int64_t rows : {0, 1, 7, 8, 17, 600}) {
    test_rows<float>(rows, 5);
    test_rows<double>(rows, 33);
    test_rows<Half>(rows, 1);
  }
  return failures == 0 ? 0 : 1;
}
