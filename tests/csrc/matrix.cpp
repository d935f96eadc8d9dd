// matrix.h against sums in float64, over sizes, strides, dtypes, and the code for each CPU.
#include <onnxop/matrix.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

using namespace onnxop;

namespace {

int failures = 0;

void expect(bool is_right, const char* what, int64_t rows, int64_t depth, int64_t columns) {
  if (is_right) return;
  std::printf("%s, %ld x %ld x %ld\n", what, long(rows), long(depth), long(columns));
  ++failures;
}

/// Runs all steps one by one, the last one first, as threads might.
struct Backwards final : ParallelFor {
  void run(int64_t count, int64_t, const Range& body) const override {
    for (int64_t i = count; i-- > 0;) body(i, i + 1);
  }
};
const Backwards parallel_for;

enum class Layout { rows, columns, apart, count };

/// A matrix that owns its memory.
template <typename T>
struct Owned {
  std::vector<T> elements;
  Matrix<T> view;

  Owned(int64_t rows, int64_t columns, Layout layout)
      : elements(rows * columns * 6 + 1, store<T>(0)),
        view{elements.data(), rows, columns, columns} {
    if (layout == Layout::columns) view = {elements.data(), rows, columns, 1, rows};
    if (layout == Layout::apart) view = {elements.data() + 1, rows, columns, columns * 3, 2};
  }

  /// Fills a contiguous matrix with random numbers.
  Owned& draw(uint32_t seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < view.rows * view.columns; ++i) elements[i] = store<T>(normal(generator));
    return *this;
  }
};

template <typename T>
double value(const Matrix<T>& matrix, int64_t row, int64_t column) {
  return static_cast<double>(load(*matrix.at(row, column)));
}

template <typename T>
bool is_same(const Matrix<T>& one, const Matrix<T>& other) {
  for (int64_t r = 0; r < one.rows; ++r) {
    for (int64_t c = 0; c < one.columns; ++c) {
      if (value(one, r, c) != value(other, r, c)) return false;
    }
  }
  return true;
}

/// Returns whether every element is the float64 sum, up to a rounding of `epsilon` relative to the sum
/// of the terms' sizes, and of `last` relative to the result.
template <typename T>
bool is_product(const Matrix<T>& left, const Matrix<T>& right, const Matrix<T>& result,
                double before, double epsilon, double last) {
  for (int64_t r = 0; r < result.rows; ++r) {
    for (int64_t c = 0; c < result.columns; ++c) {
      double sum = before, sizes = std::abs(before);
      for (int64_t d = 0; d < left.columns; ++d) {
        const double term = value(left, r, d) * value(right, d, c);
        sum += term;
        sizes += std::abs(term);
      }
      if (!(std::abs(value(result, r, c) - sum) <= epsilon * sizes + last * std::abs(sum)))
        return false;
    }
  }
  return true;
}

template <typename T>
void test(int64_t rows, int64_t depth, int64_t columns, double last) {
  using C = Compute<T>;
  const double epsilon = 20 * std::numeric_limits<C>::epsilon();
  Owned<T> plain(rows, columns, Layout::rows);
  for (int layouts = 0; layouts < 27; ++layouts) {
    const Layout of[] = {Layout(layouts % 3), Layout(layouts / 3 % 3), Layout(layouts / 9)};
    Owned<T> left(rows, depth, of[0]), right(depth, columns, of[1]), result(rows, columns, of[2]);
    Owned<T> left_values(rows, depth, Layout::rows), right_values(depth, columns, Layout::rows);
    copy(left_values.draw(1).view, left.view);
    copy(right_values.draw(2).view, right.view);
    multiply(left.view, right.view, result.view, parallel_for);
    if (layouts == 0) {
      expect(is_product(left.view, right.view, result.view, 0, epsilon, last), "product", rows,
             depth, columns);
      plain = result;
      plain.view.data = plain.elements.data();
    }
    expect(is_same(plain.view, result.view), "bits by layout", rows, depth, columns);
  }
  // A part of the product has the same bits as the whole.
  Owned<T> left(rows, depth, Layout::rows), right(depth, columns, Layout::rows);
  left.draw(1);
  right.draw(2);
  const int64_t row = rows / 3, column = columns / 2;
  Owned<T> part(rows - row, columns - column, Layout::rows);
  multiply(left.view.block(row, 0, rows - row, depth),
           Packed<C>(right.view.block(0, column, depth, columns - column)), part.view);
  expect(is_same(plain.view.block(row, column, rows - row, columns - column), part.view),
         "bits by place", rows, depth, columns);
  for (const int64_t bytes : {16, 32, 64}) {
    if (bytes > register_bytes()) continue;
    const Packed<C> packed(right.view, detail::panel_code<C>(bytes));
    Owned<T> result(rows, columns, Layout::rows);
    for (T& element : result.elements) element = store<T>(3);
    multiply(left.view, packed, result.view);
    expect(is_product(left.view, right.view, result.view, 0, epsilon, last), "code", rows, depth,
           columns);
    // Both fuse multiplication and addition.
    if (bytes >= 32) expect(is_same(plain.view, result.view), "bits by code", rows, depth, columns);
    for (T& element : result.elements) element = store<T>(3);
    multiply_add(left.view, packed, result.view);
    expect(is_product(left.view, right.view, result.view, 3, epsilon, last), "sum", rows, depth,
           columns);
  }
}

}  // namespace

int main() {
  const int64_t sizes[][3] = {{1, 1, 1},     {2, 3, 5}, {13, 257, 33}, {97, 20, 17}, {12, 512, 32},
                              {5, 600, 530}, {0, 3, 2}, {2, 3, 0},     {4, 0, 3}};
  for (const auto& [rows, depth, columns] : sizes) {
    test<float>(rows, depth, columns, 0);
    test<double>(rows, depth, columns, 0);
    test<Half>(rows, depth, columns, 0x1p-11);
    test<BFloat16>(rows, depth, columns, 0x1p-8);
  }
  // Operands of different dtypes.
  Owned<Half> left(9, 40, Layout::rows);
  Owned<float> right(40, 7, Layout::columns), result(9, 7, Layout::rows),
      wanted(9, 7, Layout::rows);
  Owned<float> wide(9, 40, Layout::rows);
  copy(left.draw(1).view, wide.view);
  right.draw(2);
  multiply(left.view, right.view, result.view, parallel_for);
  multiply(wide.view, right.view, wanted.view, parallel_for);
  expect(is_same(wanted.view, result.view), "mixed", 9, 40, 7);
  try {
    multiply(left.view, right.view.block(0, 0, 39, 7), result.view, parallel_for);
    expect(false, "sizes that do not fit", 9, 39, 7);
  } catch (const std::runtime_error&) {
  }
  return failures == 0 ? 0 : 1;
}
