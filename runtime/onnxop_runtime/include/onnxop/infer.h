// The types for infer(): sizes, some of which may be dynamic while a model is traced.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor.h"

namespace onnxop {

// ---- Sizes ----

class Size;

/// A dynamic size. A host that has such sizes implements their arithmetic, and keeps them alive while
/// infer() runs.
class Symbol {
 public:
  enum class Operation : uint8_t { add,
                                   subtract,
                                   multiply,
                                   divide,
                                   modulo,
                                   min,
                                   max };
  enum class Comparison : uint8_t { equal,
                                    not_equal,
                                    less,
                                    less_or_equal };

  virtual ~Symbol() = default;

  /// Returns `left operation right`; one of the two is this symbol. Division rounds down.
  virtual Size compute(Operation operation, Size left, Size right) const = 0;

  /// Returns whether the comparison holds for all values of the dynamic sizes.
  virtual bool is_known(Comparison comparison, Size left, Size right) const = 0;
};

/// A size of a tensor: a number, or dynamic while PyTorch traces with dynamic shapes.
///
/// Division rounds down. A comparison is true if it holds for all values: of dynamic sizes, all six
/// comparisons may be false. So write a check as `if (bad) fail(...)`; it runs again with numbers
/// when the kernel runs.
class Size {
 public:
  constexpr Size(int64_t value) : value_(value) {}  // not explicit: sizes mix with numbers
  constexpr explicit Size(const Symbol& symbol) : symbol_(&symbol) {}

  /// Null if the size is a number.
  constexpr const Symbol* symbol() const { return symbol_; }

  /// The number; 0 for a dynamic size.
  constexpr int64_t value() const { return value_; }

  friend Size operator+(Size left, Size right) {
    int64_t sum = 0;
    const bool fits = !__builtin_add_overflow(left.value_, right.value_, &sum);
    return compute(Symbol::Operation::add, left, right, sum, fits);
  }
  friend Size operator-(Size left, Size right) {
    int64_t difference = 0;
    const bool fits = !__builtin_sub_overflow(left.value_, right.value_, &difference);
    return compute(Symbol::Operation::subtract, left, right, difference, fits);
  }
  friend Size operator*(Size left, Size right) {
    int64_t product = 0;
    const bool fits = !__builtin_mul_overflow(left.value_, right.value_, &product);
    return compute(Symbol::Operation::multiply, left, right, product, fits);
  }
  friend Size operator/(Size left, Size right) {
    const auto [quotient, remainder] = floor_divide(left, right);
    return compute(Symbol::Operation::divide, left, right, quotient);
  }
  friend Size operator%(Size left, Size right) {
    const auto [quotient, remainder] = floor_divide(left, right);
    return compute(Symbol::Operation::modulo, left, right, remainder);
  }
  friend Size min(Size left, Size right) {
    return compute(Symbol::Operation::min, left, right, std::min(left.value_, right.value_));
  }
  friend Size max(Size left, Size right) {
    return compute(Symbol::Operation::max, left, right, std::max(left.value_, right.value_));
  }

  friend bool operator==(Size left, Size right) {
    return is_known(Symbol::Comparison::equal, left, right, left.value_ == right.value_);
  }
  friend bool operator!=(Size left, Size right) {
    return is_known(Symbol::Comparison::not_equal, left, right, left.value_ != right.value_);
  }
  friend bool operator<(Size left, Size right) {
    return is_known(Symbol::Comparison::less, left, right, left.value_ < right.value_);
  }
  friend bool operator<=(Size left, Size right) {
    return is_known(Symbol::Comparison::less_or_equal, left, right, left.value_ <= right.value_);
  }
  friend bool operator>(Size left, Size right) { return right < left; }
  friend bool operator>=(Size left, Size right) { return right <= left; }

  friend std::ostream& operator<<(std::ostream& stream, Size size) {
    return size.symbol_ == nullptr ? stream << size.value_ : stream << "(dynamic)";
  }

 private:
  static const Symbol* symbol_of(Size left, Size right) {
    return left.symbol_ != nullptr ? left.symbol_ : right.symbol_;
  }

  static Size compute(Symbol::Operation operation, Size left, Size right, int64_t value,
                      bool fits = true) {
    const Symbol* symbol = symbol_of(left, right);
    if (symbol != nullptr) return symbol->compute(operation, left, right);
    if (!fits) fail("a size is too large, computed from ", left, " and ", right);
    return Size(value);
  }

  static bool is_known(Symbol::Comparison comparison, Size left, Size right, bool value) {
    const Symbol* symbol = symbol_of(left, right);
    return symbol == nullptr ? value : symbol->is_known(comparison, left, right);
  }

  /// The quotient and the remainder of numbers; undefined for dynamic sizes.
  static std::pair<int64_t, int64_t> floor_divide(Size left, Size right) {
    if (symbol_of(left, right) != nullptr) return {0, 0};
    if (right.value_ == 0) fail("a size is divided by zero");
    // Dividing the smallest number by -1 would crash the process.
    if (right.value_ == -1) return {(Size(0) - Size(left.value_)).value_, 0};
    const int64_t quotient = left.value_ / right.value_;
    const int64_t remainder = left.value_ % right.value_;
    const bool is_above = remainder != 0 && (remainder < 0) != (right.value_ < 0);
    return is_above ? std::pair(quotient - 1, remainder + right.value_)
                    : std::pair(quotient, remainder);
  }

  int64_t value_ = 0;
  const Symbol* symbol_ = nullptr;
};

/// A size that depends on data, which infer() returns for tensors without data.
inline constexpr Size kDataDependent{-1};

/// "[2, 3]"
inline std::string to_string(std::span<const Size> sizes) {
  std::ostringstream text;
  text << '[';
  for (size_t d = 0; d < sizes.size(); ++d) text << (d == 0 ? "" : ", ") << sizes[d];
  text << ']';
  return text.str();
}

// ---- Tensors ----

/// A tensor in infer(). A missing optional tensor is a std::nullopt.
struct TensorMeta {
  std::string_view name;  // the argument's, for messages
  const void* data;       // contiguous, in row-major order; null while a model is traced
  Dtype dtype;
  std::span<const Size> sizes;

  size_t rank() const { return sizes.size(); }

  template <typename T>
  const T* data_as() const {
    return static_cast<const T*>(data);
  }
};

/// The dtype and sizes of an output.
struct OutputSpec {
  Dtype dtype;
  std::vector<Size> sizes;
};

/// Returns the output for the host to allocate, if every size is a number.
inline TensorSpec concrete(std::string_view op, const OutputSpec& output) {
  TensorSpec spec{output.dtype, {}};
  spec.sizes.reserve(output.sizes.size());
  for (const Size size : output.sizes) {
    if (size.symbol() != nullptr || size.value() < 0) {
      fail(op, ": the output cannot have the shape ", to_string(output.sizes));
    }
    spec.sizes.push_back(size.value());
  }
  return spec;
}

}  // namespace onnxop
